import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const RECIPES = [
  ...readFileSync(join(ROOT, 'docs/mapping.md'), 'utf8').matchAll(/^((jq|duckdb) .*) \\\n {4}\| svc (.*)$/gm),
].map(([, command, tool, svc]) => ({ command: command!, tool: tool!, argv: svc!.split(' ') }));

/** Runs the recipe of the docs that reads a file, on these lines; resolves to the events that the service then holds. */
async function cooked(files: Record<string, readonly string[]>, ...flags: string[]) {
  const home = tempDir();
  for (const [file, lines] of Object.entries(files)) writeFileSync(join(home, file), `${lines.join('\n')}\n`);
  const { command, tool, argv } = RECIPES.find((recipe) =>
    Object.keys(files).every((file) => recipe.command.includes(file)),
  )!;
  const jq = `'${process.execPath}' '${join(ROOT, 'test/support/jq.mjs')}'`;
  // As in the recipe, it writes to a pipe of the shell: DuckDB cannot open /dev/stdout where that is a socket.
  const line = `${tool === 'jq' ? command.replace(/^jq/, jq) : command} | cat`;
  const stdin = execFileSync('sh', ['-c', line], { cwd: home });
  const run = await runSvc([...argv, ...flags, '-p', 'local'], { home, cwd: home, stdin });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const held = await runSvc(['data', 'export', '--type', 'event', '-p', 'local'], { home, cwd: home });
  return held.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the parameters of GA4 become properties', async () => {
  const params =
    '[{"key":"page","value":{"string_value":"/a"}},{"key":"n","value":{"int_value":"5"}},{"key":"f","value":{"float_value":1.5}}]';
  const [event] = await cooked({
    'ga4.ndjson': [
      `{"event_name":"page_view","event_timestamp":"1575779411418000","user_id":null,"user_pseudo_id":"p","event_params":${params}}`,
    ],
  });
  expect(event).toMatchObject({
    userId: 'p',
    event: 'page_view',
    properties: { page: '/a', n: '5', f: 1.5 },
  });
});

test('each item of an order becomes an event', async () => {
  const events = await cooked({
    'orders.ndjson': ['{"customer":"c","at":"2025-12-31 12:00Z","items":[{"sku":"a"},{"sku":"b"}]}'],
  });
  expect(events.map(({ properties }) => properties.sku)).toEqual(['a', 'b']);
});

const duckdb = spawnSync('duckdb', ['--version']).status === 0;
if (!duckdb) console.warn('duckdb is not installed: its recipe in docs/mapping.md is not run');

if (duckdb)
  test('DuckDB joins two files', async () => {
    const events = await cooked({
      'orders.csv': ['customer,kind,at', '1,bought,2025-12-31 12:00:00'],
      'users.csv': ['id,email', '1,a@example.com'],
    });
    expect(events).toMatchObject([{ userId: 'a@example.com', event: 'bought' }]);
  });

test('reports a decimal comma in a number column, and does not mistake a thousands separator for one', async () => {
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
