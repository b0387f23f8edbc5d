import { expect, test } from 'vitest';
import { imported } from '../../../../support/scenarios/imported.ts';

const SET = ['--set', 'userId=u', '--set', 'event=e', '--set', 'timestamp=2026-01-31T12:00:00Z'];
const FLAGS = [...SET, '--extra-fields', 'properties', '--json'];
const failure = ({ stderr }: { stderr: string }) =>
  JSON.parse(stderr.trimEnd().split('\n').at(-1)!).error as { message: string; hint: string };

test.each([
  ['{\n "error": "not found",\n "items": [1,2,\n}\n', 'line 4, column 1'],
  ['{\n "a": 1,\n "b": {"ü": 3,}\n}\n', 'line 3, column 15'],
  ['\uFEFF{\n "a": 1\n "b": 2\n}\n', 'line 3, column 2'],
  ['{\n "a": "\u001b[31m"\n}\n', 'line 2, column 8'],
  [`{\n "a": ${'[1],'.repeat(50_000)}\n}`, 'line 2, column 11'],
])('an object over several lines with an error is called that: %#', async (text, place) => {
  for (const name of ['a.json', 'a.txt']) {
    const run = await imported(name, text, ...FLAGS);
    expect(run.code).toBe(2);
    expect(failure(run)).toEqual(
      expect.objectContaining({
        message: `${name} is one JSON object with an error in ${place}`,
        hint: `jq . ${name}`,
      }),
    );
  }
});

test('lines of records are read where the first of them is cut short', async () => {
  const run = await imported('a.json', '{"a": 1, "b":\n{"a": 2}\n{"a": 3}\n', ...FLAGS);
  expect(JSON.parse(run.stdout)).toMatchObject({ read: 3, accepted: 2, rejected: 1 });
});
