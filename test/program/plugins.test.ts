import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtProgram } from '../support/process/built-svc.ts';
import { runProcess } from '../support/process/run-process.ts';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

let program = '';
beforeAll(async () => {
  program = await builtProgram();
}, 300_000);

let home = '';
beforeEach(() => {
  home = tempDir();
});

const plugins = () => join(home, 'data', 'plugins');
const run = (argv: readonly string[], env: Record<string, string> = {}) =>
  runProcess([join(program, 'bin', 'run.js')], argv, { home, env });

/** Puts plugins where @oclif/plugin-plugins installs them: the example, and others by their files. */
function install(files: Readonly<Record<string, Readonly<Record<string, string>>>>): void {
  mkdirSync(join(plugins(), 'node_modules'), { recursive: true });
  cpSync(join(ROOT, 'examples', 'plugin'), join(plugins(), 'node_modules', 'svc-plugin-brief'), {
    recursive: true,
  });
  for (const [name, content] of Object.entries(files)) {
    const folder = join(plugins(), 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(content)) writeFileSync(join(folder, file), text);
  }
  const list = ['svc-plugin-brief', ...Object.keys(files)].map((name) => ({
    name,
    type: 'user',
    tag: 'latest',
  }));
  writeFileSync(join(plugins(), 'package.json'), JSON.stringify({ oclif: { schema: 1, plugins: list } }));
}

/** A CommonJS plugin of one file. */
const pluginOf = (name: string, oclif: object, code: string) => ({
  'package.json': JSON.stringify({ name, version: '1.0.0', oclif }),
  'index.js': code,
});

const audit = () =>
  readFileSync(join(plugins(), 'audit.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).command);

describe('an installed plugin', () => {
  it('adds a command that uses the profile and the client, and a hook that runs before every command', async () => {
    install({});
    const brief = await run(['brief', 'h', '--profile', 'local', '--json']);
    expect(brief).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(brief.stdout)).toMatchObject({ profile: 'local', messages: 1 });
    const profiles = await run(['profiles', 'list', '--json']);
    expect(profiles).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(profiles.stdout).profiles).toHaveLength(1);
    expect(audit()).toEqual(['brief', 'profiles list']);
  });

  it('is shown by help, suggestions and completion like a command of svc', async () => {
    install({});
    expect((await run(['--help'])).stdout).toMatch(/^ {2}brief +Show the next best action/m);
    expect((await run(['help', 'brief'])).stdout).toMatch(/USAGE\n {2}svc brief HASHID \[FLAGS\]/);
    expect((await run(['brie', 'h'])).stderr).toContain('did you mean `svc brief`?');
    expect((await run(['complete', '--', 'brief', '--su'])).stdout).toMatch(/^--surface\t/);
    // Completion runs at every key: no hook.
    expect(existsSync(join(plugins(), 'audit.ndjson'))).toBe(false);
  });

  it('reports errors and exits as svc does', async () => {
    install({});
    const missing = await run(['brief']);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toBe(
      'error: HASHID is missing: the user, by hashId\n  next: see `svc brief --help`\n',
    );
    const remote = ['--base-url', 'http://127.0.0.1:9', '--workspace', 'w', '--max-retries', '0', '--json'];
    const failed = await run(['brief', 'h', ...remote], { SVC_API_KEY: 'k' });
    expect(failed).toMatchObject({ code: 6, stdout: '' });
    expect(JSON.parse(failed.stderr).error).toMatchObject({ code: 'unreachable', exitCode: 6 });
  });

  it('imports `svc-cli/plugin` from its own copy of svc, and yet gets the classes of the running one', async () => {
    install({});
    const copy = join(plugins(), 'node_modules', 'svc-cli');
    mkdirSync(copy);
    writeFileSync(join(copy, 'package.json'), readFileSync(join(ROOT, 'package.json')));
    mkdirSync(join(copy, 'dist'));
    for (const file of ['plugin.cjs', 'plugin.mjs'])
      symlinkSync(join(program, 'dist', file), join(copy, 'dist', file));
    expect(await run(['brief', 'h', '--profile', 'local', '--json'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a plugin of another author', () => {
  const COMMANDS = { strategy: 'explicit', target: './index.js', identifier: 'COMMANDS' };
  const command = (body: string) =>
    `exports.COMMANDS = { 'other:run': class { static id = 'other:run'; static flags = {}; static args = {};
      static summary = 'Run'; static async run() { ${body} } } };`;

  it.each([
    { name: 'that succeeds', body: "console.log('done')", code: 0, stdout: 'done\n', stderr: '' },
    {
      name: 'that exits with a code of its own',
      body: "throw Object.assign(new Error('EEXIT: 9'), { code: 'EEXIT', oclif: { exit: 9 } })",
      code: 9,
      stdout: '',
      stderr: '',
    },
    {
      name: 'that fails',
      body: "throw new Error('no luck')",
      code: 1,
      stdout: '',
      stderr:
        'error: plugin svc-plugin-other: no luck\n  next: report it to the author of the plugin, or: svc plugins uninstall svc-plugin-other\n',
    },
  ])('has a command $name', async ({ body, code, stdout, stderr }) => {
    install({ 'svc-plugin-other': pluginOf('svc-plugin-other', { commands: COMMANDS }, command(body)) });
    expect(await run(['other', 'run'])).toEqual({ code, stdout, stderr });
    expect((await run(['other'])).stdout).toContain('Commands of the plugin svc-plugin-other');
  });

  it('cannot replace a command of svc', async () => {
    const code = command('console.log(1)').replaceAll('other:run', 'profiles:list');
    install({ 'svc-plugin-other': pluginOf('svc-plugin-other', { commands: COMMANDS }, code) });
    expect(JSON.parse((await run(['profiles', 'list', '--json'])).stdout).profiles).toHaveLength(1);
  });

  it('is named in a warning if it cannot be loaded, and everything else still works', async () => {
    install({ 'svc-plugin-gone': {} });
    const { code, stderr } = await run(['brief', 'h', '--profile', 'local']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'the plugin svc-plugin-gone cannot be loaded; install it again, or: svc plugins uninstall svc-plugin-gone',
    );
  });

  it('stops a command by a hook that exits, but not `svc plugins`', async () => {
    const hook = "module.exports = async function () { this.error('not on Sundays', { exit: 3 }); };";
    const oclif = { hooks: { prerun: './index.js' } };
    install({ 'svc-plugin-strict': pluginOf('svc-plugin-strict', oclif, hook) });
    const stopped = await run(['profiles', 'list']);
    expect(stopped).toMatchObject({ code: 3, stdout: '' });
    expect(stopped.stderr).toMatch(/^error: plugin svc-plugin-strict: not on Sundays\n/);
    expect(await run(['plugins', 'list'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is warned about if its hook fails', async () => {
    install({});
    const { code, stderr } = await run(['profiles', 'list'], { SVC_AUDIT_FILE: join(home, 'none', 'audit') });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: hook prerun: plugin svc-plugin-brief: ENOENT/);
  });
});

describe('without a plugin', () => {
  it('a start reads one file for plugins, which does not exist, and nothing of oclif', async () => {
    const preload = join(home, 'preload.cjs');
    writeFileSync(
      preload,
      `const fs = require('node:fs');
      const touched = [];
      for (const name of ['readFileSync', 'statSync', 'existsSync', 'readlinkSync', 'lstatSync', 'openSync']) {
        const original = fs[name];
        fs[name] = (path, ...rest) => { touched.push(String(path)); return original(path, ...rest); };
      }
      process.on('exit', () => {
        const oclif = Object.keys(require.cache).filter((file) => file.includes('@oclif'));
        process.stderr.write(JSON.stringify({ oclif, plugins: touched.filter((path) => /plugin/.test(path)) }));
      });`,
    );
    const script = join(program, 'bin', 'run.js');
    const { code, stderr } = await runProcess(['-r', preload, script], ['profiles', 'list'], { home });
    expect(code).toBe(0);
    const { oclif, plugins: read } = JSON.parse(stderr);
    expect(oclif).toEqual([]);
    // The program itself is in a folder whose name holds this word.
    expect(read.filter((path: string) => !path.includes(program) && !path.includes('.cache'))).toEqual([
      join(plugins(), 'package.json'),
    ]);
  });
});

describe('svc plugins', () => {
  it('warns of foreign code, says what it fetches, and explains a registry that cannot be reached', async () => {
    const env = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };
    const { code, stdout, stderr } = await run(['plugins', 'install', 'svc-plugin-brief', '--no-input'], env);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toMatch(/^warning: a plugin is code of its author: it runs with your rights/);
    expect(stderr).toMatch(
      /fetching the plugin manager \(@oclif\/plugin-plugins 5\.\d+\.\d+ with npm, 29 MB, once\)/,
    );
    expect(stderr).toMatch(/error: the plugin manager cannot be fetched: .*ECONNREFUSED/);
    expect(stderr).toContain('then: svc plugins install svc-plugin-brief --no-input');
    // Nothing half fetched is left.
    expect(readdirSync(join(home, 'data'), { recursive: true })).toEqual(['plugin-manager']);
  });

  it('refuses to remove what is not installed, and lists nothing where nothing is', async () => {
    const { code, stderr } = await run(['plugins', 'uninstall', 'x']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: the plugin x is not installed\n  next: see the installed ones: svc plugins list\n',
    });
    expect((await run(['plugins', 'list', '--json'])).stdout).toBe('{"plugins":[]}\n');
  });

  it('explains a damaged list, and how to do without it', async () => {
    mkdirSync(plugins(), { recursive: true });
    writeFileSync(join(plugins(), 'package.json'), '{"oclif":');
    const { code, stderr } = await run(['profiles', 'list']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/next: plugins cannot be used; move the list away, .*: mv \S+ \S+\.broken\n$/);
  });
});
