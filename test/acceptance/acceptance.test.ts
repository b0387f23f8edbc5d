import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { installedSvc } from '../support/process/installed-svc.ts';

/**
 * Runs the built program in real terminal sessions, one for each file of scripts/. `$ ` begins a command (a backslash at
 * the end continues the line), followed by the expected output; `…` matches anything, and `[N]` is a nonzero exit code.
 */
const SCRIPTS = join(import.meta.dirname, 'scripts');

const svc = installedSvc();

it.each(readdirSync(SCRIPTS))('%s', async (name) => {
  const { session } = svc.session();
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
