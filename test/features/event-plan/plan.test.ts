import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const CSV = `customer,when,name,amount,currency,vip,day
a,2026-01-01T00:00:00Z,order,1,EUR,true,2026-01-01
b,2026-01-02T00:00:00Z,order,2.5,USD,false,2026-01-02
c,2026-01-03T00:00:00Z,refund,3,,true,
`;
const FLAGS = ['--map', 'userId=customer', '--map', 'timestamp=when', '--map', 'event=name'];

function folder(files: Readonly<Record<string, string>>): string {
  const cwd = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}
const event = (name: string, properties?: object) =>
  `${JSON.stringify({ userId: 'u', event: name, timestamp: '2026-01-01T00:00:00Z', properties })}\n`;

test('a plan is made of any file that an import reads, and what it was made of is as planned', async () => {
  const cwd = folder({ 'orders.csv': CSV });
  const run = (...words: string[]) => runSvc(words, { cwd });
  const made = await run('events', 'plan', 'orders.csv', ...FLAGS, '--values', '2');
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.stdout)).toEqual({
    events: {
      violations: 'warn',
      unknownEvents: 'warn',
      plan: [
        {
          event: 'order',
          properties: {
            amount: { type: 'number' },
            currency: { type: 'string', enum: ['EUR', 'USD'] },
            day: { type: 'string', enum: ['2026-01-01', '2026-01-02'], format: 'date' },
            vip: { type: 'boolean' },
          },
          required: ['amount', 'currency', 'day', 'vip'],
          additionalProperties: false,
        },
        {
          event: 'refund',
          properties: { amount: { type: 'number' }, vip: { type: 'boolean' } },
          required: ['amount', 'vip'],
          additionalProperties: false,
        },
      ],
    },
  });
  writeFileSync(join(cwd, 'plan.json'), made.stdout);
  const judged = await run(
    'events',
    'import',
    'orders.csv',
    ...FLAGS,
    '--dry-run',
    '--plan',
    'plan.json',
    '--json',
  );
  expect(judged.code, judged.stderr).toBe(0);
  expect(JSON.parse(judged.stdout)).toMatchObject({
    rejected: 0,
    unsent: 3,
    violations: [],
    otherViolations: 0,
  });
  // A plan is printed as it is, and so is that of a catalog.
  expect((await run('events', 'plan', 'plan.json')).stdout).toBe(made.stdout);
  const piped = await runSvc(['events', 'plan', '-'], {
    cwd,
    stdin: event('a', { n: 1, x: 'y' }) + event('a', { n: 'x' }),
  });
  expect(JSON.parse(piped.stdout).events.plan).toEqual([
    {
      event: 'a',
      properties: { n: { type: ['number', 'string'] }, x: { type: 'string' } },
      required: ['n'],
      additionalProperties: false,
    },
  ]);
});

test('names beyond the limits of a plan are left out with a warning, and such events stay open', async () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`p${i}`, i]));
  const names = Array.from({ length: 501 }, (_, i) => event(`e${i}`)).join('');
  const cwd = folder({ 'many.ndjson': event('wide', many) + names });
  const { stdout, stderr } = await runSvc(['events', 'plan', 'many.ndjson'], { cwd });
  const { plan } = JSON.parse(stdout).events;
  expect(plan).toHaveLength(500);
  expect(plan.at(-1)).toMatchObject({ event: 'wide', additionalProperties: true });
  expect(Object.keys(plan.at(-1).properties)).toHaveLength(200);
  expect(stderr).toContain('3 of 502 events have names or properties beyond the limits of a plan');
  writeFileSync(join(cwd, 'plan.json'), stdout);
  const one = folder({ 'wide.ndjson': event('wide', many), 'plan.json': stdout });
  const args = ['events', 'import', 'wide.ndjson', '--plan', 'plan.json', '--dry-run'];
  expect((await runSvc(args, { cwd: one })).code).toBe(0);
});

const PLAN = JSON.stringify({
  events: {
    unknownEvents: 'allow',
    plan: [
      {
        event: 'order',
        description: 'Paid. */ export const broken = 1; /*',
        properties: {
          amount: { type: 'number', description: 'With tax.' },
          currency: { type: 'string', enum: ['EUR', 'U\'S"D'] },
          "odd 'name'": { type: ['integer', 'boolean'] },
        },
        required: ['amount'],
        additionalProperties: false,
      },
      { event: 'opened', properties: {}, additionalProperties: false },
      { event: 'seen', properties: { page: { type: 'string' } }, required: ['page'] },
      { event: 'any' },
    ],
  },
});

test('an import rejects what is not as planned, and sends the rest', async () => {
  const service = await startTestService();
  const lines =
    event('order', { amount: 1 }) +
    event('order', { amount: '1' }) +
    event('order', { amount: 2, currency: 'eur', extra: true }) +
    event('other', { x: 1 }) +
    event('order');
  const cwd = folder({ 'events.ndjson': lines, 'plan.json': PLAN });
  const home = tempDir();
  const run = (...words: string[]) => runSvc(words, { cwd, home, env: service.env });
  const args = ['events', 'import', 'events.ndjson', '--plan', 'plan.json', '--no-preflight'];
  const dry = await run(...args, '--dry-run');
  expect(dry.code).toBe(7);
  expect(dry.stdout).toContain('2 can be sent, 3 rejected');
  expect(dry.stdout).toContain('  not as planned:\n    1  type              order  amount\n');
  const sent = await run(...args, '--json');
  expect(sent.code).toBe(7);
  const result = JSON.parse(sent.stdout);
  expect(result).toMatchObject({ accepted: 2, rejected: 3 });
  expect(result.violations).toEqual([
    { event: 'order', property: 'amount', rule: 'type', count: 1 },
    { event: 'order', property: 'currency', rule: 'enum', count: 1 },
    { event: 'order', property: 'extra', rule: 'unknown-property', count: 1 },
    { event: 'order', property: 'amount', rule: 'missing', count: 1 },
  ]);
  const rejects = readFileSync(join(cwd, 'events.ndjson.rejects.ndjson'), 'utf8').trim().split('\n');
  expect(
    rejects.map((line) => JSON.parse(line)).map(({ line, field, reason }) => [line, field, reason]),
  ).toEqual([
    [2, 'properties.amount', 'must be a number (--plan)'],
    [
      3,
      'properties.currency',
      `must be one of "EUR", "U'S\\"D" (--plan); properties.extra: is not in the plan of this event (--plan)`,
    ],
    [5, 'properties.amount', 'is missing (--plan)'],
  ]);
  expect(rejects[0]).not.toContain('violations');
  // Another plan under the same name is another import.
  writeFileSync(join(cwd, 'plan.json'), PLAN.replace('"number"', '["number","string"]'));
  const resumed = await run(...args, '--resume');
  expect([resumed.code, resumed.stdout]).toEqual([2, '']);
});

test('a plan that cannot be used is refused before anything is read', async () => {
  const cwd = folder({
    'e.ndjson': event('a'),
    'none.json': '{"contents":[]}',
    'bad.json': '{"events":{"plan":[{"event":"a","required":["x"]}]}}',
  });
  const failed = async (...words: string[]) => {
    const { code, stderr } = await runSvc([...words, '--dry-run'], { cwd });
    return `${code} ${stderr}`;
  };
  expect(await failed('events', 'import', 'e.ndjson', '--plan', 'none.json')).toMatch(
    /^2 .*none\.json has no plan of events/,
  );
  expect(await failed('events', 'import', 'e.ndjson', '--plan', 'bad.json')).toMatch(
    /^2 .*bad\.json: events\.plan\[0\]\.required\[0\] is not among the properties/,
  );
  expect(await failed('events', 'import', 'e.ndjson', '--plan', 'gone.json')).toMatch(/^2 .*gone\.json/);
  expect(await failed('events', 'import', 'e.ndjson', '--plan', '-')).toMatch(/^2 .*not from standard input/);
  expect(await failed('users', 'import', 'e.ndjson', '--plan', 'bad.json')).toMatch(
    /^2 .*--plan is about events/,
  );
  for (const words of [[], ['e.ndjson', '--status'], ['e.ndjson', '--from-service']])
    expect((await runSvc(['events', 'plan', ...words], { cwd })).code).toBe(2);
});

test('the types of a plan accept what is planned, under strict rules', async () => {
  const cwd = folder({ 'plan.json': PLAN });
  const { stdout } = await runSvc(['events', 'plan', 'plan.json', '--types', 'ts'], { cwd });
  writeFileSync(join(cwd, 'events.ts'), stdout);
  writeFileSync(
    join(cwd, 'use.ts'),
    `import type { App } from '${ROOT}/types/app.d.mts';
import type { Client } from '${ROOT}/types/client.d.mts';
import type { Planned, PlannedEvent } from './events.ts';

declare const made: App;
declare const client: Client;
const app: Planned<App> = made;
export const id: Promise<string> = app.track('order', { amount: 1, currency: 'EUR', "odd 'name'": true });
app.track('opened');
app.track('opened', {});
app.track('seen', { page: 'home', more: 1 });
app.track('any');
app.track('any', { x: 'y' });
app.start();
// @ts-expect-error: not in the plan
app.track('ordr', { amount: 1 });
// @ts-expect-error: required
app.track('order');
// @ts-expect-error: its type
app.track('order', { amount: '1' });
// @ts-expect-error: its values
app.track('order', { amount: 1, currency: 'eur' });
// @ts-expect-error: closed
app.track('order', { amount: 1, extra: 1 });
// @ts-expect-error: closed
app.track('opened', { extra: 1 });
// @ts-expect-error: nested
app.track('seen', { page: 'home', more: { a: 1 } });

const at = { userId: 'u', timestamp: '2026-01-01T00:00:00Z' };
const events: PlannedEvent[] = [{ ...at, event: 'order', properties: { amount: 1 } }, { ...at, event: 'opened' }];
void client.ingestEvents({ events });
// @ts-expect-error: required
events.push({ ...at, event: 'order' });
`,
  );
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const modules = [
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--lib',
    'es2022,dom',
  ];
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  expect(existsSync(tsc)).toBe(true);
  const found = (file: string): string => {
    try {
      return execFileSync(tsc, [...options, ...modules, '--types', '', file], { cwd, encoding: 'utf8' });
    } catch (error) {
      return String((error as { stdout?: string }).stdout);
    }
  };
  expect(found('use.ts')).toBe('');
  // What is tested can fail.
  writeFileSync(
    join(cwd, 'wrong.ts'),
    "import type { PlannedName } from './events.ts';\nexport const name: PlannedName = 'ordr';\n",
  );
  expect(found('wrong.ts')).toContain('TS2820');
});

test('a plan is made of what the service has, and says what was counted against it', async () => {
  const service = await startTestService();
  const run = (...words: string[]) => runSvc(words, { env: service.env });
  expect((await run('events', 'plan', '--from-service')).stderr).toContain('there are no events');
  for (const properties of [
    { amount: 1, at: '2026-01-01T00:00:00+01:00' },
    { amount: 2 },
    { amount: 3, at: '2026-01-02T00:00:00Z' },
  ]) {
    const body = { events: [{ userId: 'u', event: 'order', timestamp: '2026-01-01T00:00:00Z', properties }] };
    expect((await service.fetch('/v1/events', { body })).status).toBe(202);
  }
  const made = await run('events', 'plan', '--from-service', '--json');
  const section = JSON.parse(made.stdout).events;
  expect(section.plan).toEqual([
    {
      event: 'order',
      properties: { amount: { type: 'number' }, at: { type: 'string', format: 'date-time' } },
      required: ['amount'],
      additionalProperties: false,
    },
  ]);
  expect(made.stderr).toBe('the plan is made of 3 events, all that the service has\n');
  const newest = await run('events', 'plan', '--from-service', '--limit', '2', '--json');
  expect(newest.stderr).toBe(
    'the plan is made of the newest 2 events; a larger --limit looks further back\n',
  );
  expect(JSON.parse(newest.stdout).events.plan[0].required).toEqual(['amount']);
  expect((await run('events', 'plan', '--status')).stdout).toContain('the catalog has no plan of events');
  await service.fetch('/v1/catalog', { method: 'PUT', body: { catalog: { contents: [], events: section } } });
  const wrong = { userId: 'u', event: 'order\u001b[31m', timestamp: '2026-01-01T00:00:00Z' };
  await expect
    .poll(async () => {
      await service.fetch('/v1/events', { body: { events: [wrong] } });
      return (await run('events', 'plan', '--status')).stdout;
    })
    .toContain('unknown-event');
  const { stdout } = await run('events', 'plan', '--status');
  expect(stdout).toContain('1 event in the plan; violations: warn; unknown events: warn');
  expect(stdout).toMatch(/STORED\s+REFUSED\s+RULE/);
  expect(stdout).not.toContain('\u001b');
});
