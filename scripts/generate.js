/**
 * Writes what is derived from the source: the command list, oclif.manifest.json, openapi.json and
 * docs/catalog.schema.json. `npm run generate`.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Plugin } from '@oclif/core/config';
import { bundle } from './bundle.js';

const root = join(import.meta.dirname, '..');
process.chdir(root);

const files = readdirSync('src/commands', { recursive: true })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const idOf = (file) =>
  file
    .replace(/\.ts$/, '')
    .replace(/\/index$/, '')
    .replaceAll('/', ':');
const list = files.map((file) => `  '${idOf(file)}': () => import('../commands/${file}'),`);
writeFileSync(
  'src/cli/commands.gen.ts',
  `// Made by \`npm run generate\` from src/commands.\nimport type { Command } from '@oclif/core';\n
/** Loads the code of a command by its id. */\nexport const COMMANDS: Readonly<Record<string, () => Promise<{ default: typeof Command }>>> = {\n${list.join('\n')}\n};\n`,
);

const dir = join(root, 'node_modules', '.cache', 'svc-generate');
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const all = join(dir, 'all-commands.ts');
const imports = files.map(
  (file, i) => `import c${i} from ${JSON.stringify(join(root, 'src/commands', file))};`,
);
const entries = files.map((file, i) => `${JSON.stringify(idOf(file))}: c${i}`);
writeFileSync(all, `${imports.join('\n')}\nexport const COMMANDS = { ${entries.join(', ')} };\n`);
await bundle(
  {
    'all-commands': all,
    openapi: 'src/contract/openapi.ts',
    'catalog-schema': 'src/service/catalogue/schema.ts',
  },
  { dir, format: 'esm', external: [/^[^./]/] },
);

const plugin = new Plugin({ root, ignoreManifest: true, respectNoCacheDefault: true });
await plugin.load();
const commands = Object.fromEntries(
  Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1)),
);
// The path and time of this machine have no place in a committed file.
for (const command of Object.values(commands)) {
  delete command.relativePath;
  delete command.isESM;
}
writeFileSync('oclif.manifest.json', `${JSON.stringify({ commands, version: plugin.version }, null, 2)}\n`);

const { openApi } = await import(pathToFileURL(join(dir, 'openapi.mjs')).href);
writeFileSync('openapi.json', `${JSON.stringify(openApi(plugin.version), null, 2)}\n`);

const { catalogJsonSchema } = await import(pathToFileURL(join(dir, 'catalog-schema.mjs')).href);
writeFileSync('docs/catalog.schema.json', `${JSON.stringify(catalogJsonSchema(), null, 2)}\n`);
