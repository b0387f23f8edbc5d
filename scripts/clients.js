/**
 * Generates clients from openapi.json, compiles them in strict mode, and makes the five moves with each against a
 * temporary service: `npm run clients`. The program must be built. The generators are installed into a temporary folder,
 * because nothing else needs them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const GENERATORS = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.86.12',
  'typescript@5.9.3',
  '@types/node@20',
];
const MOVED = JSON.stringify({ shown: true, status: 'queued', deliveries: 1 });
const OPTIONS = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noEmit: true,
  types: ['node'],
};

const place = mkdtempSync(join(tmpdir(), 'svc-clients-'));
const run = (command, ...args) =>
  execFileSync(command, args, {
    cwd: place,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
  });
const tool = (name, ...args) => run(join(place, 'node_modules', '.bin', name), ...args);

try {
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(
    join(place, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }),
  );
  cpSync(join(root, 'openapi.json'), join(place, 'openapi.json'));
  cpSync(join(root, 'scripts', 'generated-clients'), place, { recursive: true });
  run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...GENERATORS);
  tool('openapi-typescript', 'openapi.json', '--output', 'schema.d.ts');
  tool('openapi-ts', '--input', 'openapi.json', '--output', 'service', '--client', '@hey-api/client-fetch');
  tool('tsc', '--project', '.');
  for (const name of ['openapi-fetch', 'hey-api']) {
    const build = await rolldown({ input: join(place, `${name}.ts`), platform: 'node', logLevel: 'silent' });
    await build.write({ file: join(place, `${name}.mjs`), format: 'esm' });
    await build.close();
    const svc = join(root, 'bin', 'run.js');
    const moved = run(process.execPath, svc, 'serve', 'exec', '--', process.execPath, `${name}.mjs`).trim();
    if (moved !== MOVED) throw new Error(`the client of ${name} got ${moved}`);
    console.log(`${name}: generated, compiled, made the five moves`);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
