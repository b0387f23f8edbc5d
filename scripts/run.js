/** Runs a TypeScript file: `node scripts/run.js FILE [ARG…]`. Packages are not bundled. */
import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.js';

/** `import.meta.dirname` is the folder of the source, as without a bundle. */
const ownFolders = {
  name: 'own-folders',
  transform: (code, id) =>
    code.includes('import.meta.dirname')
      ? code.replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      : undefined,
};

const [file, ...rest] = process.argv.slice(2);
if (!file) {
  console.error('usage: node scripts/run.js FILE [ARG…]');
  process.exit(2);
}
const name = basename(file).replace(/\.ts$/, '');
const dir = join(import.meta.dirname, '..', 'node_modules', '.cache', 'svc-run', `${name}-${process.pid}`);
mkdirSync(dir, { recursive: true });
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
await bundle({ [name]: resolve(file) }, { dir, format: 'esm', external: [/^[^./]/], plugins: [ownFolders] });
process.argv = [process.argv[0], resolve(file), ...rest];
await import(pathToFileURL(join(dir, `${name}.mjs`)).href);
