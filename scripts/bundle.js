import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { bundleApp } from './app.js';
import { bundleConsole } from './console.js';
import { licencesOf } from './licences.js';
import { lazyOclif, withoutHttp2 } from './start-up-plugins.js';

/** Never bundled: built-in modules, the package with a native binary, and the part of oclif that only plugins need. */
const EXTERNAL = [/^libsql(\/promise)?$/, /^node:/, /^@oclif\/core\/config$/];

/**
 * Bundles TypeScript entries with their packages into `dir`. Resolves with the paths of the bundled files.
 * @param {Record<string, string>} input entry name to source file
 * @param {{ dir: string, format: 'cjs' | 'esm', external?: RegExp[], minify?: boolean | object, groups?: object[], platform?: 'node' | 'neutral', plugins?: object[] }} options
 */
export async function bundle(
  input,
  { dir, format, external = EXTERNAL, minify = false, groups = [], platform = 'node', plugins = [] },
) {
  const all = [lazyOclif, withoutHttp2, ...plugins];
  const build = await rolldown({ input, platform, external, plugins: all, treeshake: true, onLog: quiet });
  const extension = format === 'cjs' ? 'cjs' : 'mjs';
  const { output } = await build.write({
    dir,
    format,
    minify,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `chunks/[name]-[hash].${extension}`,
    exports: 'named',
    codeSplitting: { groups },
    dynamicImportInCjs: false,
  });
  await build.close();
  return output.flatMap((part) => part.moduleIds ?? []);
}

/** What oclif loads commands from (`oclif.commands` in package.json). The promise is awaited while it is imported. */
const COMMANDS_MODULE = `import main from './main.cjs';

export const COMMANDS = await main.loadCommands();
`;

/** What `svc-cli/plugin` is: the copy of the running program, or else the one beside it. */
const PLUGIN_MODULES = {
  'plugin.cjs':
    "module.exports = globalThis[Symbol.for('svc-cli/plugin')] ?? require('./plugin-entry.cjs');\n",
  'plugin.mjs':
    "import entry from './plugin.cjs';\n\nexport const { Args, Flags, SvcCommand, SvcError } = entry;\n",
};

/** What integrators import (`exports` in package.json): a file each, which runs in Node.js, Deno, Bun and browsers. */
export async function bundleLibrary(dir) {
  const modules = [];
  for (const name of ['client', 'webhooks']) {
    const input = { [name]: join(import.meta.dirname, '..', 'src', 'library', `${name}.ts`) };
    modules.push(...(await bundle(input, { dir, format: 'esm', external: [], platform: 'neutral' })));
  }
  return modules;
}

/** Bundles the program into `dir`: main.cjs with its chunks, commands.mjs for oclif, plugin.* for plugins, the library, the app SDK, and the page of the console. */
export async function bundleProgram(dir) {
  const src = join(import.meta.dirname, '..', 'src');
  const entries = { main: join(src, 'main.ts'), 'plugin-entry': join(src, 'plugin', 'entry.ts') };
  const modules = await bundle(entries, { dir, format: 'cjs', minify: WITHOUT_WHITE_SPACE, groups: GROUPS });
  writeFileSync(join(dir, 'commands.mjs'), COMMANDS_MODULE);
  for (const [name, text] of Object.entries(PLUGIN_MODULES)) writeFileSync(join(dir, name), text);
  modules.push(...(await bundleLibrary(dir)));
  modules.push(...(await bundleApp(dir)));
  modules.push(...(await bundleConsole(join(dir, 'console'))));
  writeFileSync(join(dir, 'THIRD-PARTY-LICENSES'), licencesOf(modules));
}

/** Each with all that it imports statically in one file: every command reads them, and each file costs half a ms. */
const GROUPS = [
  { name: 'process', test: /cli.command.process-world\.ts$/, priority: 4 },
  { name: 'dispatch', test: /program.dispatch\.ts$/, priority: 3 },
  { name: 'command', test: /cli.command.command\.ts$/, priority: 2 },
  // What a command loads when it connects.
  { name: 'client', test: /src.(client.(client|pacers|observed-limits)|kit.random)\.ts$/, priority: 1 },
];

/** Functions and classes keep their names, so that stack traces are readable. */
const WITHOUT_WHITE_SPACE = {
  compress: false,
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true },
};

/** Suppresses warnings about packages (eval, circular imports). */
function quiet(level, log, handler) {
  if (log.code === 'EVAL' || (log.id ?? log.ids?.[0] ?? '').includes('node_modules')) return;
  handler(level, log);
}
