/**
 * Generates the command list, oclif.manifest.json, the recorded examples, openapi.json, types and pages of docs/ from the
 * source: `npm run generate`.
 * Given a folder, it writes there instead; a test uses this to check that the committed files are up to date.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Plugin } from '@oclif/core/config';
import { bundleApp } from './app.js';
import { bundle } from './bundle.js';
import { nextLine, pagesInOrder } from './pages.js';

const root = join(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? root);
process.chdir(root);

const SCHEMAS = {
  'catalog.schema.json': 'JSON Schema of the catalog of contents and templates, for `svc serve --catalog`',
  'schemas/error.schema.json': 'JSON Schema of what a failure prints on stderr under `--json`',
  'provider.schema.json': 'JSON Schema of a provider file, for `svc serve --provider`',
  'faults.schema.json': 'JSON Schema of the faults to inject, for `svc serve --faults`',
};

/** Contents of the generated files, by name. */
const made = {};

const files = readdirSync('src/commands', { recursive: true })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort();
const idOf = (file) => file.replace(/(\/index)?\.ts$/, '').replaceAll('/', ':');

// Inside node_modules, so that packages that are not bundled can be resolved.
const dir = mkdtempSync(join(root, 'node_modules', '.svc-generate-'));
try {
  const load = (name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href);
  const bundled = { dir, format: 'esm', external: [/^[^./]/] };
  // First, since the client that records the examples needs it of a new endpoint.
  await bundle({ endpoints: 'src/contract/endpoints.ts' }, bundled);
  const { ENDPOINTS } = await load('endpoints');
  write('src/contract/operations.gen.ts', [
    '// Made by `npm run generate` from src/contract/endpoints.ts.',
    "import type { EndpointName, Operation } from './endpoints.ts';",
    '',
    '/** The endpoints without their schemas, which take long to load: what the client needs. */',
    'export const OPERATIONS: Readonly<Record<EndpointName, Operation>> = {',
    ...Object.entries(ENDPOINTS).flatMap(([name, { method, path, group, repeat }]) => [
      `  ${name}: {`,
      ...Object.entries({ method, path, group, repeat }).map(([key, value]) => `    ${key}: '${value}',`),
      '  },',
    ]),
    '};',
  ]);
  // Next, since openapi.json has them.
  const recorded = join(dir, 'examples.json');
  execFileSync(process.execPath, ['scripts/run.js', 'test/support/openapi/write-examples.ts', recorded], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  write('src/contract/openapi/examples.json', [formatted(readFileSync(recorded, 'utf8'))]);
  const all = join(dir, 'all.ts');
  writeFileSync(
    all,
    [
      ...files.map((file, i) => `import c${i} from ${JSON.stringify(join(root, 'src/commands', file))};`),
      `export const COMMANDS = { ${files.map((file, i) => `${JSON.stringify(idOf(file))}: c${i}`).join(', ')} };`,
    ].join('\n'),
  );
  await bundle(
    {
      all,
      openapi: 'src/contract/openapi.ts',
      declarations: 'src/library/declarations.ts',
      docs: 'src/cli/help/markdown.ts',
      manifest: 'src/cli/command/manifest.ts',
      catalog: 'src/service/catalog/schema.ts',
      faults: 'src/service/faults/schema.ts',
      provider: 'src/service/notifications/providers/file/schema.ts',
      outputs: 'src/outputs/json-schemas.ts',
      fields: 'src/outputs/markdown.ts',
      kinds: 'src/contract/openapi/kinds-page.ts',
      mapping: 'src/features/import/mapping-file/document.ts',
    },
    bundled,
  );

  const pjson = JSON.parse(readFileSync('package.json', 'utf8'));
  pjson.oclif.commands = { strategy: 'explicit', target: join(dir, 'all.mjs'), identifier: 'COMMANDS' };
  const plugin = new Plugin({ root, pjson, ignoreManifest: true, respectNoCacheDefault: true });
  await plugin.load();
  const commands = Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1));
  // The path of the class depends on the machine.
  for (const [, command] of commands) delete command.relativePath;
  for (const [id, command] of commands) {
    const { baseFlags, flags } = await plugin.findCommand(id, { must: true });
    for (const [name, { type, parse }] of Object.entries({ ...baseFlags, ...flags }))
      if (type === 'option' && (await isInteger(parse))) command.flags[name].valueType = 'integer';
  }
  write('oclif.manifest.json', [
    JSON.stringify({ commands: Object.fromEntries(commands), version: plugin.version }, null, 2),
  ]);
  const aliases = commands.flatMap(([id, command]) => command.aliases.map((alias) => [alias, id]));
  write('src/program/commands.gen.ts', [
    '// Made by `npm run generate` from src/commands.',
    "import type { CommandClass } from '../cli/command/command.ts';",
    '',
    '/** Loads the code of a command by its id. */',
    'export const COMMANDS: Readonly<Record<string, () => Promise<{ default: CommandClass }>>> = {',
    ...files.map((file) => `  ${quoted(idOf(file))}: () => import('../commands/${file}'),`),
    '};',
    '',
    '/** Other names of commands, and the ids they stand for. */',
    ...(aliases.length === 0
      ? ['export const ALIASES: Readonly<Record<string, string>> = {};']
      : [
          'export const ALIASES: Readonly<Record<string, string>> = {',
          ...aliases.map(([alias, id]) => `  ${quoted(alias)}: '${id}',`),
          '};',
        ]),
  ]);

  const { openApi } = await load('openapi');
  write('openapi.json', [JSON.stringify(openApi(plugin.version), null, 2)]);

  const { operationTypes, deliveryTypes } = await load('declarations');
  write('types/operations.d.mts', [operationTypes().trimEnd()]);
  write('types/delivery.d.mts', [deliveryTypes().trimEnd()]);
  const names = Object.keys(ENDPOINTS).filter((name) => !ENDPOINTS[name].stream);
  write('types/plugin.d.ts', [
    readFileSync('types/plugin.d.ts', 'utf8')
      .trimEnd()
      .replace(
        /(?<=export type Operation =)[^;]*/,
        names
          .sort()
          .map((name) => `\n  | '${name}'`)
          .join(''),
      ),
  ]);

  const { catalogJsonSchema } = await load('catalog');
  write('docs/catalog.schema.json', [JSON.stringify(catalogJsonSchema(), null, 2)]);
  const { providerJsonSchema } = await load('provider');
  write('docs/provider.schema.json', [JSON.stringify(providerJsonSchema(), null, 2)]);
  const { faultsJsonSchema } = await load('faults');
  write('docs/faults.schema.json', [JSON.stringify(faultsJsonSchema(), null, 2)]);

  const { outputSchemas } = await load('outputs');
  for (const [file, schema] of Object.entries(outputSchemas()))
    write(`docs/schemas/${file}`, [JSON.stringify(schema, null, 2)]);
  const { mappingJsonSchema } = await load('mapping');
  write('docs/mapping.schema.json', [JSON.stringify(mappingJsonSchema(), null, 2)]);

  const { generatedPages } = await load('docs');
  const { manifestOf } = await load('manifest');
  const { outputPage } = await load('fields');
  const pages = generatedPages(manifestOf(pjson, JSON.parse(made['oclif.manifest.json'])));
  pages['reference/output.md'] = outputPage();
  pages['reference/webhook-kinds.md'] = (await load('kinds')).kindsPage();
  for (const [name, text] of Object.entries(pages))
    write(`docs/${name}`, [text.trimEnd(), '', nextLine(root, name)]);
  // The script that the service serves, by the hash in its name and by that which a browser checks.
  await bundleApp(dir);
  const digest = createHash('sha384')
    .update(readFileSync(join(dir, 'app.js')))
    .digest();
  write('docs/users/app-sdk.md', [
    readFileSync('docs/users/app-sdk.md', 'utf8')
      .trimEnd()
      .replace(/app-[0-9a-f]+\.js/, `app-${digest.toString('hex').slice(0, 16)}.js`)
      .replace(/sha384-[\w+/=]+/, `sha384-${digest.toString('base64')}`),
  ]);
  write('docs/llms.txt', [llmsIndex(pjson, pages)]);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/**
 * Returns llms.txt (llmstxt.org): what svc is, and every page of docs/ with its title and its first sentence.
 * @param {Record<string, string>} generated pages that may not be written yet
 */
function llmsIndex({ name, description }, generated) {
  const line = (file) => {
    const text = generated[file] ?? readFileSync(join('docs', file), 'utf8');
    const [, title] = /^# (.+)$/m.exec(text);
    const body = text.slice(text.indexOf(title) + title.length).replace(/<!--.*?-->/gs, '');
    const paragraph = body.split('\n\n').find((block) => /^(?!```)[A-Z`*[]/.test(block.trim())) ?? '';
    const [sentence] = /^.*?[.:](?=\s|$)/s.exec(paragraph.trim()) ?? [''];
    return `- [${title}](${file}): ${sentence
      .replace(/\s+/g, ' ')
      .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replace(/:$/, '.')}`;
  };
  const pages = [...new Set([...readdirSync('docs'), ...pagesInOrder(root).map(({ file }) => file)])];
  const named = (ending) => pages.filter((file) => file.endsWith(ending)).sort();
  return [
    `# ${name}`,
    '',
    `> ${description}`,
    '',
    'Programs read `svc commands --json`: every command with its flags and their types, exit codes and the JSON Schema of its output. Under `--json` a failure prints one JSON object on stderr (schemas/error.schema.json). The HTTP API is described by openapi.json at the root of the package.',
    '',
    '## Docs',
    '',
    ...named('.md').map(line),
    '',
    '## Schemas',
    '',
    ...named('.schema.json').map((file) => `- [${file}](${file}): ${SCHEMAS[file]}`),
  ].join('\n');
}

/** Returns whether a flag takes whole numbers, which oclif's format does not record. */
async function isInteger(parse) {
  const values = await Promise.all(
    ['7', '7.5'].map((text) => Promise.resolve(parse(text, {}, {})).catch(() => undefined)),
  );
  return values[0] === 7 && values[1] === undefined;
}

/** Formats JSON as lint expects it, without the newline at its end. */
function formatted(json) {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'format', '--stdin-file-path=src/contract/openapi/examples.json'];
  return execFileSync(process.execPath, args, { input: json, encoding: 'utf8' }).trimEnd();
}

/** Quotes a property name only if necessary, as Biome does. */
function quoted(id) {
  return /^\w+$/.test(id) ? id : `'${id}'`;
}

function write(file, lines) {
  made[file] = lines.join('\n');
  const path = join(out, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
