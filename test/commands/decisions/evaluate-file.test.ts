import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const OPEN_BANDIT = join(ROOT, 'test', 'fixtures', 'open-bandit.csv');
const COLUMNS = ['action=item_id', 'reward=click', 'propensity=propensity_score'];
const MAP = COLUMNS.flatMap((column) => ['--map', column]);

/** The estimates computed from the bytes of the file, independently of the command. */
function independent(actions: number) {
  const rows = readFileSync(OPEN_BANDIT, 'utf8').trim().split('\n').slice(1);
  const cells = rows.map((row) => row.split(','));
  const weights = cells.map((cell) => 1 / actions / Number(cell[5]));
  const sum = (of: (weight: number, reward: number) => number) =>
    weights.reduce((total, weight, i) => total + of(weight, Number(cells[i]![4])), 0);
  return {
    ips: sum((w, r) => w * r) / rows.length,
    snips: sum((w, r) => w * r) / sum((w) => w),
    effective: sum((w) => w) ** 2 / sum((w) => w * w),
    mean: sum((_, r) => r) / rows.length,
  };
}

const evaluate = async (flags: string[], input?: string) => {
  const { code, stdout, stderr } = await runSvc(['decisions', 'evaluate', ...flags], { stdin: input ?? '' });
  return { code, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) };
};

test('judges rows of the Open Bandit Dataset as an independent computation does', async () => {
  const { code, result, stderr } = await evaluate([
    '--json',
    '--input',
    OPEN_BANDIT,
    ...MAP,
    '--candidates',
    '46',
  ]);
  expect(code).toBe(0);
  const { uniform, running, best } = result.policies;
  const expected = independent(46);
  expect(uniform.ips.mean).toBeCloseTo(expected.ips, 14);
  expect(uniform.snips.mean).toBeCloseTo(expected.snips, 14);
  expect(uniform.effective).toBeCloseTo(expected.effective, 9);
  expect(running.ips.mean).toBeCloseTo(expected.mean, 14);
  expect(uniform.ips.low).toBeGreaterThanOrEqual(0);
  expect([uniform.dr, uniform.dm, best]).toEqual([null, null, null]);
  expect(stderr).toMatch(/always best cannot be judged on this log/);
});

test('takes the different actions of a file as candidates, and says so; a pipe must be given their number', async () => {
  const flags = ['--json', ...MAP, '--policy', 'uniform', '--input'];
  const { result, stderr } = await evaluate([...flags, OPEN_BANDIT]);
  const actions = new Set(
    readFileSync(OPEN_BANDIT, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',')[2]),
  );
  expect(stderr).toContain(`taken to have had all ${actions.size} actions`);
  expect(result.policies.uniform.ips.mean).toBeCloseTo(independent(actions.size).ips, 14);
  const piped = await evaluate([...flags, '-', '--format', 'csv'], readFileSync(OPEN_BANDIT, 'utf8'));
  expect([piped.code, piped.stderr]).toEqual([2, expect.stringMatching(/--candidates N/)]);
});

test('judges always one content, and weights from a file', async () => {
  const folder = tempDir();
  const log = join(folder, 'log.ndjson');
  const row = (action: string, reward: number | null) =>
    JSON.stringify({ action, reward, propensity: 0.5, candidates: ['a', 'b'] });
  await writeFile(
    log,
    `${[row('a', 1), row('a', 0), row('b', 0), row('b', 0), row('b', null)].join('\n\n')}\n`,
  );
  const weights = join(folder, 'weights.json');
  await writeFile(weights, '{"a": 3, "b": 1}');
  const policies = ['content:a', 'content:b', weights].flatMap((policy) => ['--policy', policy]);
  const { code, result, stderr } = await evaluate(['--json', '--input', log, ...policies]);
  expect([code, result.decisions, result.pending]).toEqual([0, 4, 1]);
  const mean = (policy: string) => result.policies[policy].ips.mean;
  // 2 / 4; 0; (0.75 × 2) / 4
  expect([mean('content:a'), mean('content:b'), mean(weights)]).toEqual([0.5, 0, 0.375]);
  expect(stderr).not.toMatch(/cannot be judged/);
  const other = await evaluate(['--json', '--input', log, '--policy', 'content:nope', '--policy', 'running']);
  expect([other.code, other.result]).toEqual([2, undefined]);
  expect(other.stderr).toContain('--policy content:nope cannot be judged on this log');
});

test("reads the service's own entries, with the same estimates as from the service", async () => {
  const service = await startTestService({ seed: 'own log' });
  for (let i = 0; i < 12; i++) await service.fetch('/v1/decisioning/decide', { body: { hashId: `h${i}` } });
  const { env } = service;
  const judged = await runSvc(['decisions', 'evaluate', '--json'], { env });
  const page = await runSvc(['api', 'GET', '/v1/decisions'], { env });
  const lines = JSON.parse(page.stdout)
    .decisions.map((entry: unknown) => JSON.stringify(entry))
    .join('\n');
  const { code, result } = await evaluate(['--json', '--input', '-'], lines);
  expect(code).toBe(0);
  expect(result).toEqual(JSON.parse(judged.stdout));
});

const BAD: [name: string, rows: string, flags: string[], message: RegExp][] = [
  ['a missing column', 'item,reward\n1,0', [], /has no action|has no contentId/],
  [
    'a reward outside the range',
    'action,reward,propensity\n1,7.5,0.5',
    [],
    /reward 7.5 is not from 0 to 1\n.*--reward-range/,
  ],
  [
    'a propensity above 1',
    'action,reward,propensity\n1,1,1.5',
    [],
    /line 2 of the log: propensity is not above 0/,
  ],
  [
    'a reward that is text',
    'action,reward,propensity\n1,yes,0.5',
    [],
    /line 2 of the log: reward is not a number/,
  ],
  ['a reward in hexadecimal', 'action,reward,propensity\n1,0x1,0.5', [], /reward is not a number/],
  [
    'two columns of one name',
    'action,reward,reward,propensity\n1,1,0,0.5',
    [],
    /the log has two columns with the name reward/,
  ],
  ['a row with too many cells', 'action,reward,propensity\n1,1,0.5,9', [], /not valid CSV/],
  [
    'an unknown field to map',
    'action,reward,propensity\n',
    ['--map', 'action1=x'],
    /--map action1=x is not a field/,
  ],
  [
    'a policy file that is none',
    'action,reward,propensity\n',
    ['--policy', 'package.json'],
    /is not a policy/,
  ],
  ['a time range without times', 'action,reward,propensity\n1,1,0.5', ['--since', '2026-01-01'], /has no at/],
];

const BAD_CANDIDATES: [name: string, row: object, message: RegExp][] = [
  ['a candidate twice', { propensity: 0.5, candidates: ['a', 'a', 'b'] }, /candidates names a content twice/],
  [
    'propensities of candidates outside 0 to 1',
    { candidates: [{ id: 'a', propensity: 5 }, { id: 'b' }] },
    /has a propensity that is neither 0 nor from 1e-15 to 1/,
  ],
  [
    'propensities of candidates that add up to more than 1',
    { candidates: ['a', 'b'].map((id) => ({ id, propensity: 0.9 })) },
    /add up to 1\.800 and not to 1/,
  ],
  [
    'propensities of candidates that add up to less than 1',
    { propensity: 0.25, candidates: ['a', 'b'].map((id) => ({ id, propensity: 0.25 })) },
    /add up to 0\.500 and not to 1/,
  ],
  [
    'a propensity whose weight is not finite',
    { propensity: 1e-320, candidates: ['a', 'b'] },
    /propensity is not above 0 \(1e-15 or more\)/,
  ],
  [
    'a negative number of others',
    { candidates: [{ id: 'a', propensity: 1 }], others: { count: -5, ranking: 0, expected: 0 } },
    /others has a count that is not a whole number/,
  ],
];

test.each(BAD_CANDIDATES)('refuses %s', async (_, row, message) => {
  const line = JSON.stringify({ action: 'a', reward: 1, ...row });
  const { code, result, stderr } = await evaluate(['--json', '--input', '-'], `${line}\n`);
  expect([code, result, stderr]).toEqual([2, undefined, expect.stringMatching(message)]);
});

test('refuses weights of a policy that are not finite, alone or together', async () => {
  const weights = join(tempDir(), 'weights.json');
  const row = { action: 'a', reward: 1, propensity: 0.5, candidates: ['a', 'b'] };
  for (const text of ['{"a": 1e999}', '{"a": 1e308, "b": 1e308}']) {
    await writeFile(weights, text);
    const flags = ['--json', '--input', '-', '--policy', weights];
    const { code, stderr } = await evaluate(flags, `${JSON.stringify(row)}\n`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is not a policy/)]);
  }
});

test('says that few decisions give rough estimates, and knows no spread of a single one', async () => {
  const row = (reward: number) =>
    JSON.stringify({ action: 'a', reward, propensity: 0.5, candidates: ['a', 'b'] });
  const args = ['--json', '--input', '-', '--policy', 'running'];
  const one = await evaluate(args, row(1));
  expect(one.stderr).toMatch(/one decision is in the log that can be judged: all estimates are imprecise/);
  expect(one.result.policies.running).toMatchObject({
    ips: { mean: 1, low: 0, high: 1 },
    snips: { mean: 1, low: 0, high: 1 },
  });
  const three = await evaluate(args, [row(1), row(0), row(1)].join('\n'));
  expect(three.stderr).toMatch(/3 decisions are in the log that can be judged: all estimates are imprecise/);
});

test.each(BAD)('refuses %s', async (_, rows, flags, message) => {
  const args = ['decisions', 'evaluate', '--input', '-', '--format', 'csv', '--candidates', '2', ...flags];
  const { code, stderr, stdout } = await runSvc(args, { stdin: `${rows}\n`, cwd: ROOT });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
});
