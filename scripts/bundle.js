import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licencesOf } from './licences.js';

/** Modules that are never bundled: built-in ones and the package with a native binary. */
const EXTERNAL = [/^libsql$/, /^node:/];

/**
 * Bundles TypeScript entries with their packages into `dir`. Resolves with the paths of the bundled files.
 * @param {Record<string, string>} input entry name to source file
 * @param {{ dir: string, format: 'cjs' | 'esm', external?: RegExp[], minify?: boolean | object, groups?: object[], platform?: 'node' | 'neutral' }} options
 */
export async function bundle(
  input,
  { dir, format, external = EXTERNAL, minify = false, groups = [], platform = 'node' },
) {
  const build = await rolldown({ input, platform, external, treeshake: true, onLog: quiet });
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

/** What integrators import (`exports` in package.json): a file each, which runs in Node.js, Deno, Bun and browsers. */
export async function bundleLibrary(dir) {
  const modules = [];
  for (const name of ['client', 'webhooks']) {
    const input = { [name]: join(import.meta.dirname, '..', 'src', 'library', `${name}.ts`) };
    modules.push(...(await bundle(input, { dir, format: 'esm', external: [], platform: 'neutral' })));
  }
  return modules;
}

/** Bundles the program into `dir`: main.cjs with its chunks, commands.mjs for oclif, and the library. */
export async function bundleProgram(dir) {
  const main = join(import.meta.dirname, '..', 'src', 'main.ts');
  const modules = await bundle({ main }, { dir, format: 'cjs', minify: WITHOUT_WHITE_SPACE, groups: GROUPS });
  writeFileSync(join(dir, 'commands.mjs'), COMMANDS_MODULE);
  modules.push(...(await bundleLibrary(dir)));
  writeFileSync(join(dir, 'THIRD-PARTY-LICENSES'), licencesOf(modules));
}

/** Each with all that it imports statically in one file: every command reads them. */
const GROUPS = [{ name: 'process', test: /cli.command.process-world\.ts$/ }];

/** Halves the size but keeps names, so that stack traces are readable. */
const WITHOUT_WHITE_SPACE = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Suppresses warnings about packages (eval, circular imports). */
function quiet(level, log, handler) {
  if (log.code === 'EVAL' || (log.id ?? log.ids?.[0] ?? '').includes('node_modules')) return;
  handler(level, log);
}
