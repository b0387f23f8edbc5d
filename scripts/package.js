/**
 * Packs the program and tests the tarball: `npm run package [FOLDER]`. The tarball is written to FOLDER, if given.
 * Checks that it contains only the program and its documentation, that it installs globally into an empty prefix with
 * two dependencies, that it runs in an empty home, that oclif runs its commands, and that a plugin can be installed from a
 * tarball, used and removed. The network is used for the npm registry only. Prints its size.
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
  /^dist\/plugin(-entry)?\.[cm]js$/,
  /^plugin-manager\/(package|package-lock)\.json$/,
  /^plugin-manager\/run\.js$/,
  /^types\/plugin\.d\.ts$/,
  /^dist\/(client|webhooks|app)\.mjs$/,
  /^dist\/app\.js$/,
  /^examples\/app\/(index\.html|server\.js|shop\.js)$/,
  /^types\/\w+\.d\.mts$/,
  /^dist\/console\/(index\.html|assets\/(console\.(js|css)|start\.js))$/,
  /^dist\/chunks\/[\w.-]+\.cjs$/,
  /^dist\/THIRD-PARTY-LICENSES$/,
  /^oclif\.manifest\.json$/,
  /^openapi\.json$/,
  /^docs\/(\w+\/)?[\w.-]+\.(md|schema\.json|svg|txt)$/,
  /^man\/svc(-[a-z0-9-]+)?\.[17]$/,
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
  if (dependencies.join() !== '@oclif/core,libsql')
    throw new Error(`it depends on ${dependencies.join(', ')}`);
  const svc = (...args) =>
    run(join(prefix, 'bin', 'svc'), args, home, { HOME: home, PATH: process.env.PATH });
  const version = svc('--version').trim();
  svc('--help');
  const { decisionId } = JSON.parse(
    svc('decide', '--hash-id', 'a'.repeat(64), '--profile', 'local', '--json'),
  );
  if (!decisionId) throw new Error('svc decide returned no decision');
  // Start from the code cache, and without a writable home.
  svc('profiles', 'list');
  run(join(prefix, 'bin', 'svc'), ['--version'], home, { HOME: '/dev/null', PATH: process.env.PATH });
  // Both names must work: daemontools installs another program named `svc`.
  if (
    run(join(prefix, 'bin', 'svc-cli'), ['--version'], home, {
      HOME: home,
      PATH: process.env.PATH,
    }).trim() !== version
  )
    throw new Error('svc-cli is not svc');
  const linked = readFileSync(join(prefix, 'share', 'man', 'man1', 'svc.1'), 'utf8');
  if (!linked.includes('.TH "SVC" "1"')) throw new Error('there is no man page svc(1)');
  checkLibrary(join(into, filename), place, run);
  run('npm', ['publish', '--dry-run', '--ignore-scripts', join(into, filename)], place);
  const byOclif = runByOclif(installed);
  tryPlugin(svc, home);
  const lines = [
    `${version}: ${filename}, ${names.length} files`,
    `oclif's Config shows the help of ${byOclif} commands and runs three; a plugin was installed, used and removed`,
    `${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked, ${megabytes(sizeOf(join(prefix, 'lib')))} installed with ${dependencies.join(' and ')}`,
  ];
  console.log(lines.join('\n'));
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** Loads the installed package with oclif's own Config, and runs every command's help and three whole commands. */
function runByOclif(installed) {
  const home = join(place, 'oclif-home');
  mkdirSync(home);
  const script = join(installed, 'through-oclif.mjs');
  writeFileSync(
    script,
    `import { Config, handle } from '@oclif/core';
    import { loadHelpClass } from '@oclif/core/help';
    const config = await Config.load(import.meta.dirname);
    const [id, ...argv] = process.argv.slice(2);
    if (id !== undefined) await config.runCommand(id, argv).catch(handle);
    else {
      const Help = await loadHelpClass(config);
      // Help replaces the colons in the commands that it shows.
      for (const id of [...config.commandIDs]) {
        await config.findCommand(id, { must: true }).load();
        await new Help(config).showHelp(id.split(':'));
      }
      console.log('commands', config.commands.length);
    }`,
  );
  const oclif = (...argv) =>
    run(process.execPath, [script, ...argv], home, { HOME: home, PATH: process.env.PATH });
  const help = oclif();
  const count = Number(/^commands (\d+)$/m.exec(help)?.[1]);
  if (!(count > 40) || help.match(/^USAGE$/gm)?.length !== count)
    throw new Error(`oclif shows the help of ${help.match(/^USAGE$/gm)?.length} of ${count} commands`);
  const { profiles } = JSON.parse(oclif('profiles:list', '--json'));
  const { decisionId } = JSON.parse(
    oclif('decide', '--hash-id', 'a'.repeat(64), '--profile', 'local', '--json'),
  );
  const { messages } = JSON.parse(
    oclif('messages:list', '--hash-id', 'a'.repeat(64), '--profile', 'local', '--json'),
  );
  if (profiles.length !== 1 || messages[0]?.decisionId !== decisionId)
    throw new Error('oclif runs the commands otherwise than svc');
  rmSync(script);
  return count;
}

/** Installs the example of a plugin from its tarball into the empty home, uses and removes it. */
function tryPlugin(svc, home) {
  const packed = run(
    'npm',
    ['pack', '--json', '--pack-destination', place],
    join(root, 'examples', 'plugin'),
  );
  const [{ filename }] = JSON.parse(packed);
  const { installed } = JSON.parse(svc('plugins', 'install', join(place, filename), '--json', '--no-input'));
  if (installed?.name !== 'svc-plugin-brief') throw new Error('the plugin was not installed');
  const brief = JSON.parse(svc('brief', 'h', '--profile', 'local', '--json'));
  if (brief.profile !== 'local')
    throw new Error(`the command of the plugin returned ${JSON.stringify(brief)}`);
  svc('profiles', 'list');
  const audit = readFileSync(join(home, '.local', 'share', 'svc', 'plugins', 'audit.ndjson'), 'utf8');
  if (!/"brief"}\n.*"profiles list"}\n$/s.test(audit)) throw new Error(`the hook wrote ${audit}`);
  checkTypes(home);
  svc('plugins', 'uninstall', 'svc-plugin-brief');
  if (/^ {2}brief /m.test(svc('--help'))) throw new Error('the plugin was not removed');
}

/** Compiles a command against the types of `svc-cli/plugin`, as a plugin finds them. */
function checkTypes(home) {
  const folder = join(home, '.local', 'share', 'svc', 'plugins');
  const file = join(folder, 'check.ts');
  writeFileSync(
    file,
    `import { Args, type Context, Flags, SvcCommand, SvcError } from 'svc-cli/plugin';
    export default class Check extends SvcCommand {
      static override args = { hashId: Args.string({ required: true }) };
      static override flags = { count: Flags.integer({ default: 1 }) };
      protected override async run({ args, flags, out, connect }: Context<typeof Check>): Promise<void> {
        const { client } = await connect();
        if (flags.count > 1) throw new SvcError('usage', 'too many', { hint: 'svc check' });
        const { body } = await client.call<{ n: number }>('decide', { body: { hashId: args.hashId.trim() } });
        out.result({ n: body.n + flags.count }, () => 'done');
      }
    }`,
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules', '@types')];
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...types, file], folder);
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
