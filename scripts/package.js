/**
 * Packs the program and tests the tarball: `npm run package [FOLDER]`. The tarball is written to FOLDER, if given.
 * Checks that it contains only the program and its documentation, that it installs globally into an empty prefix with
 * libsql as its only dependency, and that it runs in an empty home. Prints its size.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { checkLibrary } from './package-library.js';

const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'svc-package-'));
const into = resolve(process.argv[2] ?? place);
const WANTED = [
  /^package\.json$/,
  /^(README|CHANGELOG)\.md$/,
  /^LICENSE$/,
  /^bin\/(run\.js|code-cache\.js|package\.json)$/,
  /^dist\/main\.cjs$/,
  /^dist\/commands\.mjs$/,
  /^dist\/(client|webhooks)\.mjs$/,
  /^types\/\w+\.d\.mts$/,
  /^dist\/chunks\/[\w.-]+\.cjs$/,
  /^dist\/THIRD-PARTY-LICENSES$/,
  /^oclif\.manifest\.json$/,
  /^openapi\.json$/,
  /^docs\/[\w.-]+\.(md|schema\.json|svg)$/,
  /^docs\/schemas\/[\w/-]+\.schema\.json$/,
];
const MOST_PACKED = 2_000_000;

try {
  mkdirSync(into, { recursive: true });
  execFileSync(process.execPath, [join(root, 'scripts', 'build.js')], { cwd: root, stdio: 'inherit' });
  const packed = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', into], staged());
  const [{ filename, files, size, unpackedSize }] = JSON.parse(packed);
  const names = files.map(({ path }) => path);
  check(
    names.filter((name) => !WANTED.some((wanted) => wanted.test(name))),
    'should not be in the package',
  );
  check(
    WANTED.filter((wanted) => !names.some((name) => wanted.test(name))).map(String),
    'is not in the package',
  );
  if (size > MOST_PACKED) throw new Error(`the package has ${size} bytes, more than ${MOST_PACKED}`);

  const prefix = join(place, 'prefix');
  const home = join(place, 'home');
  mkdirSync(home);
  mkdirSync(join(prefix, 'lib'), { recursive: true });
  run(
    'npm',
    ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', join(into, filename)],
    place,
  );
  const installed = join(prefix, 'lib', 'node_modules', 'svc-cli');
  const dependencies = Object.keys(
    JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies,
  );
  if (dependencies.join() !== 'libsql') throw new Error(`it depends on ${dependencies.join(', ')}`);
  const svc = (...args) =>
    run(join(prefix, 'bin', 'svc'), args, home, { HOME: home, PATH: process.env.PATH });
  const version = svc('--version').trim();
  svc('--help');
  const { decisionId } = JSON.parse(svc('decide', '--hash-id', 'h', '--profile', 'local', '--json'));
  if (!decisionId) throw new Error('svc decide returned no decision');
  // Start from the code cache, and without a writable home.
  svc('--version');
  run(join(prefix, 'bin', 'svc'), ['--version'], home, { HOME: '/dev/null', PATH: process.env.PATH });
  // Both names must work: daemontools installs another program named `svc`.
  if (
    run(join(prefix, 'bin', 'svc-cli'), ['--version'], home, {
      HOME: home,
      PATH: process.env.PATH,
    }).trim() !== version
  )
    throw new Error('svc-cli is not svc');
  checkLibrary(join(into, filename), place, run);
  run('npm', ['publish', '--dry-run', '--ignore-scripts', join(into, filename)], place);
  const lines = [
    `${version}: ${filename}, ${names.length} files`,
    `${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked, ${megabytes(sizeOf(join(prefix, 'lib')))} installed with ${dependencies}`,
  ];
  console.log(lines.join('\n'));
} finally {
  rmSync(place, { recursive: true, force: true });
}

/**
 * Creates the folder to pack. Its package.json has no scripts and no development dependencies: npm warns about an
 * installed package with a `prepare` script.
 */
function staged() {
  const stage = join(place, 'stage');
  const { scripts, devDependencies, ...published } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  mkdirSync(stage);
  for (const name of [...published.files, 'README.md', 'LICENSE'])
    cpSync(join(root, name), join(stage, name), { recursive: true });
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return stage;
}

function run(
  command,
  args,
  cwd,
  env = { ...process.env, PATH: [resolve(process.execPath, '..'), process.env.PATH].join(delimiter) },
) {
  return execFileSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
  });
}

function check(names, what) {
  if (names.length > 0) throw new Error(`${names.join(', ')} ${what}`);
}

function sizeOf(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
