/** Runs a TypeScript file: `node scripts/run.js FILE [ARG…]`. Packages are not bundled. */
import { mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.js';

const [file, ...rest] = process.argv.slice(2);
if (!file) {
  console.error('usage: node scripts/run.js FILE [ARG…]');
  process.exit(2);
}
const name = basename(file).replace(/\.ts$/, '');
const dir = join(import.meta.dirname, '..', 'node_modules', '.cache', 'svc-run', `${name}-${process.pid}`);
mkdirSync(dir, { recursive: true });
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
await bundle({ [name]: resolve(file) }, { dir, format: 'esm', external: [/^[^./]/] });
process.argv = [process.argv[0], resolve(file), ...rest];
await import(pathToFileURL(join(dir, `${name}.mjs`)).href);
