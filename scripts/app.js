/** Bundles the app SDK: a module (`svc-cli/app`) and a classic script, which the service serves; at most 9 KB gzipped each. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const MOST_GZIPPED = 9 * 1024;

/**
 * Bundles src/app-sdk into `dir`: app.mjs, and app.js with the global `svc`. Throws if one is larger than it may be.
 * Resolves with the paths of the bundled files.
 * @param {string} dir
 */
export async function bundleApp(dir) {
  const input = join(import.meta.dirname, '..', 'src', 'app-sdk', 'app.ts');
  const build = await rolldown({
    input,
    platform: 'browser',
    treeshake: true,
    transform: { target: 'es2022' },
  });
  const modules = [];
  for (const [file, format] of [
    ['app.mjs', 'esm'],
    ['app.js', 'iife'],
  ]) {
    const { output } = await build.write({
      file: join(dir, file),
      format,
      name: 'svc',
      minify: true,
      exports: 'named',
    });
    const size = gzipSync(output[0].code).length;
    if (size > MOST_GZIPPED) throw new Error(`${file} has ${size} bytes gzipped, more than ${MOST_GZIPPED}`);
    modules.push(...output[0].moduleIds);
  }
  await build.close();
  return modules;
}
