import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arrived, wordsOf } from '../../support/inspected.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const TIME = '2026-01-31T12:00:00Z';
const csv = (header: string, rows: readonly string[]) =>
  `userId,event,timestamp,${header}\n${rows.map((row, n) => `u${n},e,${TIME},${row}\n`).join('')}`;

/** Imports a file on local data. */
async function imported(text: string, home = tempDir(), ...flags: string[]) {
  if (!existsSync(join(home, 'a.csv'))) writeFileSync(join(home, 'a.csv'), text);
  const args = ['events', 'import', 'a.csv', '-p', 'local', '--json', ...flags];
  const run = await runSvc(args, { home, cwd: home });
  return { ...run, home, result: run.stdout === '' ? undefined : JSON.parse(run.stdout) };
}

/** The texts of the properties as they are stored. */
const properties = (text: string) =>
  [...text.matchAll(/"properties":(\{.*?\}),"origin"/g)].map(([, json]) => json);

test('a column has one type: numbers keep their spelling, and identifiers their zeros', async () => {
  const header = 'price,zip,customer_id,active,note,big';
  const rows = ['33.20,01234,7,true,5,9007199254740993', '35.79,99999,8,false,x,1', ',,,,,'];
  const { result, home } = await imported(csv(header, rows));
  expect(result).toMatchObject({
    accepted: 3,
    firstTimestamp: TIME,
    lastTimestamp: TIME,
    types: {
      price: 'number',
      zip: 'string',
      customer_id: 'string',
      active: 'boolean',
      note: 'string',
      big: 'string',
    },
  });
  expect(properties((await arrived(home)).text)).toEqual([
    '{"price":33.20,"zip":"01234","customer_id":"7","active":true,"note":"5","big":"9007199254740993"}',
    '{"price":35.79,"zip":"99999","customer_id":"8","active":false,"note":"x","big":"1"}',
  ]);
});

test('a later cell that does not fit is a reject that names the flag, and the command has it', async () => {
  const rows = [...Array.from({ length: 1200 }, (_, n) => `${n}.50,true`), 'n/a,true', '7,yes'];
  const { code, result, home, stderr } = await imported(csv('price,active', rows));
  expect([code, result]).toMatchObject([7, { accepted: 1200, rejected: 2 }]);
  const rejects = readFileSync(join(home, 'a.csv.rejects.ndjson'), 'utf8').trim().split('\n');
  expect(rejects.map((line) => JSON.parse(line)).map(({ field, reason }) => `${field} ${reason}`)).toEqual([
    'properties.price must be a number, as in the first rows; --type price=string makes the column text',
    'properties.active must be true or false, as in the first rows; --type active=string makes the column text',
  ]);
  const { hint } = JSON.parse(stderr.trim().split('\n').at(-1)!).error;
  expect(hint).toMatch(/ --type price=string --type active=string$/);
});

test('--type decides otherwise', async () => {
  const text = csv('price,zip', ['33.20,01234', '1.5,2']);
  const flags = ['--type', 'price=string', '--type', 'zip=number'];
  const { result, home } = await imported(text, tempDir(), ...flags);
  expect(result.types).toEqual({ price: 'string', zip: 'number' });
  expect(properties((await arrived(home)).text)).toEqual([
    '{"price":"33.20","zip":1234}',
    '{"price":"1.5","zip":2}',
  ]);
});

test('a dry run decides and shows the same types and times', async () => {
  const { result } = await imported(csv('price', ['1', '2.50']), tempDir(), '--dry-run');
  expect(result).toMatchObject({ types: { price: 'number' }, firstTimestamp: TIME, lastTimestamp: TIME });
});

test('the first and the last timestamp are those of the records, in any order', async () => {
  const home = tempDir();
  const times = ['12:00:00.5Z', '12:00:00Z', '11:59:59.999Z', '12:00:00.50Z', '12:00:00.501Z', '12:00:00.5Z'];
  const event = (time: string) => ({ userId: 'u', event: 'e', timestamp: `2026-01-31T${time}` });
  writeFileSync(join(home, 'a.ndjson'), times.map((time) => JSON.stringify(event(time))).join('\n'));
  const run = await runSvc(['events', 'import', 'a.ndjson', '-p', 'local', '--json'], { home, cwd: home });
  expect(JSON.parse(run.stdout)).toMatchObject({
    firstTimestamp: '2026-01-31T11:59:59.999Z',
    lastTimestamp: '2026-01-31T12:00:00.501Z',
    types: {},
  });
});

/** An import of numbers and then text in one column, stopped at the text. */
async function stopped() {
  const rows = [...Array.from({ length: 2000 }, () => '1'), 'text', '2.50'];
  const text = csv('price', rows);
  const run = await imported(text, tempDir(), '--max-errors', '1', '--batch-size', '100');
  expect(run.code).toBe(7);
  expect(run.result.unsent + run.result.accepted).toBeGreaterThan(0);
  return { text, home: run.home };
}

const sameTypes = (text: string) => new Set(text.match(/"price":("?)/g));

test('a resumed import has the types of its beginning', async () => {
  const { text, home } = await stopped();
  const { result } = await imported(text, home, '--batch-size', '100', '--resume');
  expect(result).toMatchObject({ read: 2002, unsent: 0, types: { price: 'number' } });
  expect(sameTypes((await arrived(home)).text)).toEqual(new Set(['"price":']));
});

test('spaces belong to a cell and to a name alike', async () => {
  const { code, stderr, home } = await imported(`userId, event,timestamp\nu, view,${TIME}\n`);
  expect(code).toBe(2);
  const { message, hint } = JSON.parse(stderr).error;
  expect(message).toContain('a.csv has no column event');
  const pasted = await runSvc(wordsOf(hint), { home, cwd: home });
  expect(JSON.parse(pasted.stdout)).toMatchObject({ accepted: 1 });
  expect((await arrived(home)).events[0]?.event).toBe(' view');
});

test('two columns of one name are both imported, and a notice says how', async () => {
  const { stderr, home } = await imported(csv('a,b,a,a_1,a', ['1,2,3,4,5']));
  expect(stderr).toContain('a is imported as a_2, a is imported as a_3');
  expect((await arrived(home)).events[0]?.properties).toEqual({ a: 1, b: 2, a_2: 3, a_1: 4, a_3: 5 });
});
