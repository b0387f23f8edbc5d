import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '@oclif/core/config';
import { beforeAll, describe, expect, it } from 'vitest';
import { ALIASES, COMMANDS } from '../../src/program/commands.gen.ts';
import { builtProgram } from '../support/process/built-svc.ts';
import { runProcess } from '../support/process/run-process.ts';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

let program: string;
/** Inside node_modules so that `@oclif/core` is found from there. */
let throughOclif: string;

beforeAll(async () => {
  program = await builtProgram();
  throughOclif = join(program, '..', 'through-oclif.mjs');
  writeFileSync(
    throughOclif,
    [
      "import { Config, handle } from '@oclif/core';",
      `const config = await Config.load(${JSON.stringify(program)});`,
      'const [id, ...argv] = process.argv.slice(2);',
      'await config.runCommand(id, argv).catch(handle);',
    ].join('\n'),
  );
}, 300_000);

describe('oclif', () => {
  it('lists every command and finds the class of each in the built program', async () => {
    const config = await Config.load(program);
    expect(config.commandIDs.sort()).toEqual([...Object.keys(COMMANDS), ...Object.keys(ALIASES)].sort());
    const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8'));
    for (const command of config.commands) {
      const found = await command.load();
      expect(found.id, command.id).toBe(ALIASES[command.id] ?? command.id);
      expect(found.run, command.id).toBeTypeOf('function');
      expect(Object.keys({ ...found.baseFlags, ...found.flags }).sort(), command.id).toEqual(
        Object.keys(commands[found.id].flags).sort(),
      );
    }
  });

  it.each([
    { name: 'a success', id: 'profiles:list', argv: ['--json'], code: 0 },
    {
      name: 'a command with positional arguments after --',
      id: 'serve:exec',
      argv: ['--', process.execPath, '-e', 'console.log(Object.keys(process.env).sort()); process.exit(3)'],
      code: 3,
    },
    { name: 'a usage error', id: 'events:send', argv: ['--jsno'], code: 2 },
    {
      name: 'a failure under --json, whose hint repeats the command line',
      id: 'decide',
      argv: [
        '--hash-id',
        'h',
        '--surface',
        'home',
        '--base-url',
        'http://127.0.0.1:9',
        '--max-retries',
        '0',
        '--json',
      ],
      code: 6,
      env: { SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' },
    },
  ])('runs a whole command as svc does: $name', async ({ id, argv, code, env = {} }) => {
    const words = id.split(':');
    const home = tempDir();
    const direct = await runProcess([join(program, 'bin', 'run.js')], [...words, ...argv], { home, env });
    const oclif = await runProcess([throughOclif], [id, ...argv], { home, env });
    expect(oclif).toEqual(direct);
    expect(oclif.code, oclif.stderr).toBe(code);
  });

  it('runs many commands in one process whose write functions are replaced, as runCommand of @oclif/test does', async () => {
    const script = join(program, '..', 'captured.mjs');
    writeFileSync(script, CAPTURED);
    const home = tempDir();
    const { code, stdout, stderr } = await runProcess([script], [program], { home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { runs, warnings } = JSON.parse(stdout);
    expect(warnings).toEqual([]);
    const [list, send] = runs.slice(-2);
    expect(JSON.parse(list.stdout)).toHaveProperty('profiles');
    expect(send).toEqual({ stdout: expect.stringContaining('"accepted":1'), stderr: '' });
    expect(runs).toHaveLength(24);
  });
});

/** Captures output by a write function that never calls the callback it is given. */
const CAPTURED = `
import { run } from '@oclif/core';
const root = process.argv[2];
const warnings = [];
process.on('warning', ({ name, message }) => warnings.push(name + ': ' + message));
async function captured(argv) {
  const before = { stdout: process.stdout.write, stderr: process.stderr.write };
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    process[name].write = (text) => {
      output[name] += text;
      return true;
    };
  try {
    await run(argv, { root });
  } finally {
    process.stdout.write = before.stdout;
    process.stderr.write = before.stderr;
  }
  return output;
}
const runs = [];
for (let i = 0; i < 12; i++) {
  runs.push(await captured(['profiles', 'list', '--json']));
  runs.push(await captured(['events', 'send', '--user-id', 'u', '--event', 'e', '--profile', 'local', '--json']));
}
await new Promise((resolve) => setImmediate(resolve));
console.log(JSON.stringify({ runs, warnings }));
`;
