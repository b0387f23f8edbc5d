import { expect, test } from 'vitest';
import { findDialect } from '../../../../../src/features/import/formats/csv/csv-dialect.ts';
import { headerIsData } from '../../../../../src/features/import/formats/csv/header.ts';
import { requireForm } from '../../../../../src/features/import/formats/csv/other-form.ts';
import { imported } from '../../../../support/scenarios/imported.ts';
import { suggested } from '../../../../support/suggested.ts';

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
const TIME = '2026-01-31T12:00:00Z';
const SET = ['--set', 'userId=u', '--set', 'event=e', '--set', `timestamp=${TIME}`, '--json'];
const result = ({ stdout }: { stdout: string }) => JSON.parse(stdout);
const failure = ({ stderr }: { stderr: string }) =>
  JSON.parse(stderr.trimEnd().split('\n').at(-1)!).error as { message: string; hint: string };

const SPACED = lines('userId, event, timestamp, note', `u1, in, ${TIME}, "a, b"`, `u2, out, ${TIME}, "c"`);
const QUOTED = lines('userId,event,timestamp,note', `u1,in,${TIME},'a, b'`, `u2,out,${TIME},'it''s'`);

test.each([
  ['a space after every comma', SPACED, "--delimiter ', '", ['--delimiter', ', ']],
  ['cells in single quotes', QUOTED, '--quote single', ['--quote', "'"]],
])('%s is asked about, suggested and read', async (what, text, hint, flags) => {
  const run = await imported('a.csv', text, '--json');
  expect(run.code).toBe(2);
  expect(failure(run).message).toContain(what.replace('comma', ','));
  expect(failure(run).hint).toContain(hint);
  expect(await suggested(text)).toMatchObject({ flags: hint, rejected: 0 });
  expect(result(await imported('a.csv', text, '--json', ...flags))).toMatchObject({ read: 2, accepted: 2 });
});

const asks = (...rows: string[]) => {
  const head = Buffer.from(lines(...rows));
  try {
    requireForm('a.csv', head, findDialect(head, undefined), {});
    return undefined;
  } catch (error) {
    return (error as { form?: unknown }).form ?? error;
  }
};

test.each([
  [['id;note', '1; a', '2;b', '3; c']],
  [['id,price', 'a,"1, 2"', 'b,"3, 4"', 'c,"5, 6"']],
  [['name', 'Smith, Ann', 'Jones, Bob', 'Brown, Eve']],
  [['id,n', "a,['x','y','z']", 'b,1', 'c,2', 'd,3']],
  [['id,list', `a,"['x','y','z']"`, `b,"['x','y','z']"`, `c,"['x','y','z']"`]],
  [['id,word', "a,'tis", "b,it's", "c,'twas"]],
])('neither form is seen in %j', (rows) => {
  expect(asks(...rows)).toBeUndefined();
});

test('a very long cell in quotes does not take long to judge', () => {
  const row = `a,'${"''".repeat(15_000)}`;
  expect(asks('id,n', row, row, row)).toBeUndefined();
});

test('an apostrophe in a cell without quotes is one', async () => {
  const text = lines('who,what', "'Ann','Men''s'", "Eve's,'x'", "'Bob',y");
  const run = await imported('a.csv', text, ...SET, '--quote', 'single');
  expect(result(run)).toMatchObject({ read: 3, accepted: 3 });
});

test('a delimiter too many inside a row shifts no cells', async () => {
  const text = lines('id,name,note', '1,Ann,', '2,,Bob,', '3,Eve,');
  const run = await imported('a.csv', text, ...SET);
  expect(result(run)).toMatchObject({ read: 3, accepted: 2, rejected: 1 });
  expect(run.rejects()).toEqual(['record has 4 cells where the header has 3']);
});

test('rows with empty cells only are no rows, and their first line is named', async () => {
  const run = await imported('a.csv', lines('id,name', ',', '1,Ann', ' , ', '2,Bob', ','), ...SET);
  expect(result(run)).toMatchObject({ read: 2, accepted: 2 });
  expect(run.stderr).toContain('a.csv: line 2 has only empty cells; such lines are left out');
});

test('a header that comes again with other quotes is no row', async () => {
  const text = lines('day,"size"', 'day,size', '2026-01-31,5', '2026-01-31,6', '"day",size', '2026-01-31,7');
  const run = await imported('a.csv', text, ...SET);
  expect(result(run)).toMatchObject({ read: 3, accepted: 3 });
  expect(run.stderr).toContain('a.csv: line 2 repeats the header; such lines are left out');
});

test.each([
  [
    'two equal digits',
    ['0', '0'],
    [
      ['0.1', '5'],
      ['0.2', '6'],
    ],
    true,
  ],
  [
    'counted columns',
    ['0', '1'],
    [
      ['0.1', '5'],
      ['0.2', '6'],
    ],
    false,
  ],
  [
    'a second table',
    ['day', 'size'],
    [
      ['1', '5'],
      ['2', '6'],
      ['day', 'size', 'col1'],
    ],
    false,
  ],
])('a first row of %s is a row: %j', (_, header, rows, isData) => {
  expect(headerIsData(header, rows, 'events')).toBe(isData);
});

test('names of two columns more than the rows have are not left out as a title', async () => {
  const names = Array.from({ length: 22 }, (_, i) => `name ${i}`);
  const row = names.slice(2).map(() => 'text');
  const run = await imported('a.csv', lines(names.join(), row.join(), row.join(), row.join()), ...SET);
  expect(run.code).toBe(2);
  expect(failure(run).message).toContain('Line 1 of a.csv seems to name the columns');
});

test('a doubled quote of the other kind is kept with a word, as it may be meant for one', async () => {
  const run = await imported(
    'a.csv',
    lines('who,size', `'Ann','48""'`, "'Eve','9'"),
    ...SET,
    '--quote',
    'single',
  );
  expect(result(run)).toMatchObject({ read: 2, accepted: 2 });
  expect(run.stderr).toContain('a.csv: line 2 has "" among cells in single quotes; it is kept as it is');
});
