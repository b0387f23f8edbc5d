// cspell:ignore menge preis
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDialect } from '../../../../../src/features/import/formats/csv/csv-dialect.ts';
import { headerIsData } from '../../../../../src/features/import/formats/csv/header.ts';
import { runSvc } from '../../../../support/process/run-svc.ts';
import { imported } from '../../../../support/scenarios/imported.ts';
import { tempDir } from '../../../../support/temp.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const dialect = (...rows: string[]) => findDialect(Buffer.from(lines(...rows)), undefined);
const TIME = '2026-01-31T12:00:00Z';
const SET = ['--set', 'userId=u', '--set', 'event=e', '--set', `timestamp=${TIME}`, '--json'];
const result = ({ stdout }: { stdout: string }) => JSON.parse(stdout);
const failure = ({ stderr }: { stderr: string }) =>
  JSON.parse(stderr.trimEnd().split('\n').at(-1)!).error as { message: string; hint: string };

test('a table without a header is refused also where all fields are constants', async () => {
  const text = lines('0.5,2026-01-31', '1.5,2026-02-01', '2.5,2026-02-02');
  const run = await imported('a.csv', text, ...SET);
  expect(run.code).toBe(2);
  expect(failure(run).message).toContain('a.csv seems to have no header');
  expect(failure(run).hint).toContain('--columns column1,column2');
  const named = await imported('a.csv', text, ...SET, '--columns', 'a,b');
  expect(result(named)).toMatchObject({ read: 3, accepted: 3 });
  // A flag that names a column of the first row says that it is a header.
  const typed = await imported('a.csv', text, ...SET, '--type', '0.5=string');
  expect(result(typed)).toMatchObject({ read: 2, accepted: 2 });
});

test.each([
  ['rows shorter than the header', ['who,what,where', 'ann,buy', 'bob,sell', 'eve,buy'], 'who,what'],
  ['rows longer than the header', ['who,what', 'ann,buy,x', 'bob,sell,y', 'eve,buy,z'], 'who,what,column3'],
  [
    'row names of R',
    ['"who","what"', '"a","ann","buy"', '"b","bob","sell"', '"c","eve","buy"'],
    'row,who,what',
  ],
  ['row names of pandas', ['who,who', '0,ann,buy', '1,bob,sell', '2,eve,buy'], 'row,who,who_1'],
  ['a header that starts like a comment', ['# energy,n', '0.5,1', '0.6,2', '0.7,3'], 'energy,n'],
])('a header is not left out as a line before the table: %s', async (_, rows, names) => {
  const run = await imported('a.csv', lines(...rows), ...SET);
  expect(run.code).toBe(2);
  expect(failure(run).message).toContain(`Line 1 of a.csv seems to name the columns`);
  expect(failure(run).hint).toContain(`--columns ${names}`);
  const named = await imported('a.csv', lines(...rows), ...SET, '--columns', names);
  expect(result(named)).toMatchObject({ read: 3, accepted: 3 });
});

test('a title is left out where the table has a header', () => {
  const found = dialect(
    'Report of,January',
    'id,at,sum',
    'a,2026-01-31,1',
    'b,2026-01-31,2',
    'c,2026-01-31,3',
  );
  expect(found).toMatchObject({ skipLines: 1, named: undefined });
});

test('a cell of white space at the end of every row is no cell, also of a single row', async () => {
  for (const rows of [['"1";"Ann";" \n"'], ['"1";"Ann";" \n"', '"2";"Bob";""', '"3";"Eve";" "']]) {
    const run = await imported('a.csv', lines('"id";"name"', ...rows), ...SET);
    expect(result(run)).toMatchObject({ read: rows.length, accepted: rows.length, rejected: 0 });
  }
});

test('how a file is written is told from more than its first kilobytes', async () => {
  // Each line before the table looks like a row of its own with commas.
  const before = Array.from({ length: 12 }, (_, i) => `list${i}=[${Array(60).fill('1.25').join(',')}]`);
  const names = Array.from({ length: 300 }, (_, i) => `name${i}`).join(';');
  const rows = Array.from({ length: 20 }, (_, row) =>
    Array.from({ length: 300 }, (_, i) => row + i / 8).join(';'),
  );
  const run = await imported('a.csv', lines('$$info', ...before, names, ...rows), ...SET);
  expect(result(run)).toMatchObject({ read: 20, accepted: 20 });
});

test('one empty cell at the end of every row is no cell', async () => {
  const run = await imported(
    'a.csv',
    lines('id,name,city', '1,Ann,Bonn,', '2,Bob,Rome,', '3,Eve,Oslo,'),
    ...SET,
  );
  expect(result(run)).toMatchObject({ read: 3, accepted: 3 });
});

test('a header repeated inside the file is no row, and further lines of it are rejected', async () => {
  const header = 'id,day,size';
  const run = await imported(
    'a.csv',
    lines(
      header,
      'no,date,mm',
      '1,2026-01-31,5',
      '2,2026-01-31,6',
      header,
      '3,2026-01-31,7',
      '4,2026-01-31,8',
      header,
    ),
    ...SET,
  );
  expect(run.code).toBe(7);
  expect(result(run)).toMatchObject({ read: 5, accepted: 4, rejected: 1 });
  expect(run.rejects()).toEqual(['record looks like a further line of the header']);
  expect(run.stderr).toContain('a.csv: line 5 repeats the header; such lines are left out');
});

test('the types of columns are those of the rows below further lines of the header', async () => {
  const rows = [
    'id,day,size',
    'no,date,mm',
    '1,2026-01-31,5',
    '2,2026-01-31,6',
    '3,2026-01-31,7',
    '4,2026-01-31,8',
  ];
  const run = await imported('a.csv', lines(...rows), ...SET, '--dry-run');
  expect(result(run)).toMatchObject({ read: 5, rejected: 1 });
});

test.each([
  [['a,b', 'x,n/a', 'y,2', 'z,3', 'w,4']],
  [['a,b', 'x,-', 'y,2', 'z,3', 'w,4']],
  [['userId,event', 'ann,buy', 'bob,sell', 'eve,buy', 'ann,sell']],
])('a first row is no line of the header: %j', (rows) => {
  expect(dialect(...rows).moreHeaders).toBe(0);
});

test('a header that comes again is still one', () => {
  const again = ['who', 'what', 'size'];
  const rows = [again, again, ['ann', 'buy', '5'], ['bob', 'buy', '6'], again, ['eve', 'sell', '7']];
  expect(headerIsData(again, rows, 'events')).toBe(false);
});

test('numbers that may have points between thousands are asked about', async () => {
  const rows = ['menge;preis', '1.306;3,50', '976;2,00', '1.613;4,75'];
  const run = await imported('a.csv', lines(...rows), ...SET);
  expect(run.code).toBe(2);
  expect(failure(run).message).toContain(
    'a.csv has decimal commas, so the points in menge may separate thousands',
  );
  expect(failure(run).hint).toContain('--decimal-comma');
  expect((await imported('a.csv', lines(...rows), ...SET, '--decimal-comma')).code).toBe(0);
  expect((await imported('a.csv', lines(...rows), ...SET, '--type', 'menge=number')).code).toBe(0);
});

test('comments of a W3C log are no rows, wherever they are', async () => {
  const head = ['#Software: IIS', '#Fields: date time cs-method', '2026-01-31 12:00:00 GET'];
  const run = await imported(
    'a.log',
    lines(...head, '#Software: IIS', '#Fields: date time cs-method', '2026-01-31 12:00:01 GET'),
    ...SET,
  );
  expect(result(run)).toMatchObject({ read: 2, accepted: 2 });
});

test('where every record would be rejected, inspect prints no command', async () => {
  const home = tempDir();
  writeFileSync(
    join(home, 'a.csv'),
    lines(
      'userId,event,timestamp',
      ...Array.from({ length: 5 }, () => `${'x'.repeat(300)},e,2026-01-31T12:00:00Z`),
    ),
  );
  const { stdout } = await runSvc(['events', 'inspect', 'a.csv'], { home, cwd: home });
  expect(stdout).toContain('5 of 5 records read would be rejected');
  expect(stdout).toContain('no command would import any of these records');
  expect(stdout).not.toContain('svc events import');
});

test('a header of several levels is refused, with the command that reads the rows below it', async () => {
  const levels = ['network,1,1,2', 'node,1,2,1', 'side,left,right,left'];
  const rows = ['0,56.05,92.03,3.39', '1,55.54,43.69,-65.4', '2,60.99,63.43,-51.1'];
  for (const more of [[',,,'], ['at,,,'], []]) {
    const text = lines(...levels, ...more, ...rows);
    for (const flags of [SET, [...SET, '--columns', 'a,b,c,d']]) {
      const run = await imported('a.csv', text, ...flags);
      expect(run.code).toBe(2);
      expect(failure(run).message).toContain('a.csv has a header of 3 lines (network, node, side)');
      expect(failure(run).hint).toContain(`tail -n +${4 + more.length} a.csv | svc events inspect -`);
    }
    // Below it, the first row is no header either.
    const below = await imported('b.csv', lines(...rows), ...SET);
    expect(failure(below).message).toContain('b.csv seems to have no header');
  }
});

test('texts above other ones, and columns that are named apart, are no levels', () => {
  expect(dialect('id,a,a', 'x1,2,2', 'x2,3,2', 'x3,3,4', 'x4,3,3').levels).toBeUndefined();
  expect(dialect('id,a,b', 'total,1,1', '1,3,2', '2,3,4', '3,3,3').levels).toBeUndefined();
  expect(dialect('id,a,a', 'total,1,1', '1,3,2', '2,3,4', '3,3,3').levels).toBeUndefined();
});

test('a name of the first column below further lines of the header is one too', async () => {
  const rows = ['2026-01-05,1.5,2', '2026-01-06,1.6,3', '2026-01-07,1.7,4', '2026-01-08,1.8,5'];
  const run = await imported(
    'a.csv',
    lines('Price,Close,Volume', 'Ticker,ABC,ABC', 'Date,,', ...rows),
    ...SET,
  );
  expect(result(run)).toMatchObject({ read: 6, accepted: 4, rejected: 2 });
  expect(new Set(run.rejects())).toEqual(new Set(['record looks like a further line of the header']));
});

test('a cell of white space without a name is left out with a word, an empty one without', async () => {
  const spaced = await imported('a.csv', lines('id,n', '1,2, ', '2,3, '), ...SET);
  expect(result(spaced)).toMatchObject({ accepted: 2 });
  expect(spaced.stderr).toContain(
    'a.csv: line 2 ends in a cell of white space without a name; such cells are left out',
  );
  const empty = await imported('a.csv', lines('id,n', '1,2,', '2,3,'), ...SET);
  expect(empty.stderr).not.toContain('left out');
});
