import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { bundleProgram } from '../../scripts/bundle.js';
import { startSession } from '../../scripts/session.js';
import { ROOT } from '../support/run-svc.ts';
import { tempDir } from '../support/temp.ts';

/**
 * The built program in real terminal sessions: every file of scripts/ is one. `$ ` begins a command (a line that ends in
 * a backslash goes on), below it is what it says, `…` stands for anything, and `[N]` for an exit code other than 0.
 */
const SCRIPTS = join(import.meta.dirname, 'scripts');

/** As it is packed, but inside node_modules, so that the native part is found. */
const program = join(ROOT, 'node_modules', '.cache', `svc-acceptance-${process.pid}`);

beforeAll(async () => {
  mkdirSync(program, { recursive: true });
  for (const part of ['bin', 'package.json', 'oclif.manifest.json'])
    cpSync(join(ROOT, part), join(program, part), { recursive: true });
  await bundleProgram(join(program, 'dist'));
}, 120_000);

afterAll(() => rmSync(program, { recursive: true, force: true }));

it.each(readdirSync(SCRIPTS))('%s', { timeout: 120_000 }, async (name) => {
  const dir = tempDir();
  const [home, work, bin] = ['home', 'work', 'bin'].map((part) => join(dir, part)) as [
    string,
    string,
    string,
  ];
  for (const part of [home, work, bin]) mkdirSync(part);
  symlinkSync(join(program, 'bin', 'run.js'), join(bin, 'svc'));
  cpSync(join(ROOT, 'examples'), join(work, 'examples'), { recursive: true });
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const session = startSession({ cwd: work, env: { HOME: home, PATH, LANG: 'C.UTF-8' } });
  onTestFinished(() => session.close());
  for (const { line, command, expected, code } of stepsOf(readFileSync(join(SCRIPTS, name), 'utf8'))) {
    const result = await session.run(command, 60_000);
    const where = `${name}:${line}: ${command}\n${result.output}`;
    expect(result.output.trimEnd(), where).toMatch(expected);
    expect(result.code, where).toBe(code);
  }
});

function stepsOf(text: string) {
  const steps: { line: number; command: string; said: string[]; code: number }[] = [];
  let open = false;
  text.split('\n').forEach((line, i) => {
    const last = steps.at(-1);
    if (open && last) {
      last.command += `\n${line}`;
      open = line.endsWith('\\');
    } else if (line.startsWith('$ ')) {
      steps.push({ line: i + 1, command: line.slice(2), said: [], code: 0 });
      open = line.endsWith('\\');
    } else if (/^\[\d+\]$/.test(line) && last) last.code = Number(line.slice(1, -1));
    else if (last && !line.startsWith('# ')) last.said.push(line);
  });
  return steps.map(({ said, ...step }) => ({ ...step, expected: patternOf(said.join('\n').trimEnd()) }));
}

function patternOf(said: string): RegExp {
  const parts = said.split('\n').map((line) =>
    line === '…'
      ? '[\\s\\S]*'
      : line
          .split('…')
          .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.*'),
  );
  return new RegExp(`^${parts.join('\\n')}$`);
}
