import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const RECIPES = [
  ...readFileSync(join(ROOT, 'docs/import.md'), 'utf8').matchAll(/^(sed .*) \\\n {4}\| svc (.*)$/gm),
].map(([, sed, svc]) => ({ sed: sed!, argv: svc!.split(' ') }));

/** Runs the recipe for that file on these lines; resolves to the events that the service then holds. */
async function cooked(file: string, lines: readonly string[], ...flags: string[]) {
  const home = tempDir();
  writeFileSync(join(home, file), `${lines.join('\n')}\n`);
  const { sed, argv } = RECIPES.find((recipe) => recipe.sed.endsWith(file))!;
  const stdin = execFileSync('sh', ['-c', sed], { cwd: home });
  const run = await runSvc([...argv, ...flags, '-p', 'local'], { home, cwd: home, stdin });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const held = await runSvc(['data', 'export', '--type', 'event', '-p', 'local'], { home, cwd: home });
  return held.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('dates with the day first are turned round, with midnight where they name no time', async () => {
  const events = await cooked('reviews.csv', [
    'userId,event,timestamp',
    'u,e,31/12/2025',
    'u,e,01/02/2026 13:45',
  ]);
  expect(events.map(({ timestamp }) => timestamp)).toEqual(['2025-12-30T23:00:00Z', '2026-02-01T12:45:00Z']);
});

test('decimal commas become points', async () => {
  const events = await cooked('sales.csv', [
    'userId;event;timestamp;amount',
    ...['9.549,07', '1.234.567,89', '0,5', '12'].map((amount) => `u;e;2025-12-31T12:00:00Z;${amount}`),
  ]);
  expect(events.map(({ properties }) => properties.amount)).toEqual([9549.07, 1234567.89, 0.5, 12]);
});

test('a decimal comma is named where a number is asked for, and a thousand is not taken for one', async () => {
  const home = tempDir();
  const rows = ['9.549,07', '-0,5', '1,234', '1,5,0', 'x'].map((n) => `u;e;2025-12-31T12:00:00Z;${n}`);
  writeFileSync(join(home, 'a.csv'), ['userId;event;timestamp;n', ...rows].join('\n'));
  await runSvc(['events', 'import', 'a.csv', '-p', 'local', '--type', 'n=number'], { home, cwd: home });
  const rejects = readFileSync(join(home, 'a.csv.rejects.ndjson'), 'utf8').trimEnd().split('\n');
  expect(rejects.map((line) => JSON.parse(line).reason)).toEqual([
    'must be a number; this one has a decimal comma: use --decimal-comma, or write 9549.07',
    'must be a number; this one has a decimal comma: use --decimal-comma, or write -0.5',
    'must be a number',
    'must be a number',
    'must be a number',
  ]);
});
