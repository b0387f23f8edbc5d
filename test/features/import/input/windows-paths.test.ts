import { expect, test } from 'vitest';
import { dataFiles } from '../../../../src/features/import/input/archive/files-in.ts';
import { folderOfPattern, patternParts } from '../../../../src/features/import/input/archive/glob.ts';
import { rejectsPath } from '../../../../src/features/import/run/rejects-path.ts';

// The paths of another system than this one: only what is computed of them can be tested here.
const WINDOWS = true;

test.each([
  ['data\\*.csv', '', ['data', '*.csv'], 'data\\'],
  ['data\\logs/**\\*.json.gz', '', ['data', 'logs', '**', '*.json.gz'], 'data\\logs/'],
  ['C:\\data\\*.csv', 'C:\\', ['data', '*.csv'], 'C:\\data\\'],
  ['\\\\host\\share\\a?.csv', '\\\\host\\share\\', ['a?.csv'], '\\\\host\\share\\'],
  ['*.csv', '', ['*.csv'], ''],
])('a pattern with backslashes: %s', (pattern, root, parts, folder) => {
  expect(patternParts(pattern, WINDOWS)).toEqual({ root, parts });
  expect(folderOfPattern(pattern, WINDOWS)).toBe(folder);
});

test('elsewhere a backslash is a character of a name', () => {
  expect(patternParts('/a\\b/*.csv', false)).toEqual({ root: '/', parts: ['a\\b', '*.csv'] });
  expect(rejectsPath(['a\\'], '/', undefined, false)).toBe('a\\.rejects.ndjson');
});

test('the files of a folder: hidden ones, rejects and what is not data are left out', () => {
  const left: string[] = [];
  const found = dataFiles(
    ['b.csv', '.git\\a.csv', '.hidden.csv', 'in\\__MACOSX\\a.csv', 'in\\a.csv', 'in\\.git\\a.csv'],
    (text) => left.push(text),
    WINDOWS,
  );
  expect(found).toEqual(['b.csv', 'in\\a.csv']);
  expect(left).toEqual([]);
  const plain = ['in\\part-0', 'in\\_SUCCESS', '.part-1'];
  expect(dataFiles(plain, (text) => left.push(text), WINDOWS)).toEqual(['in\\part-0']);
  expect(left).toEqual([]);
});

test.each([
  ['data\\', 'data.rejects.ndjson'],
  ['data\\*.csv', 'data.rejects.ndjson'],
  ['C:\\data\\in\\', 'C:\\data\\in.rejects.ndjson'],
  ['data\\a.csv', 'data\\a.csv.rejects.ndjson'],
  ['..\\', 'import.rejects.ndjson'],
  ['C:\\', 'import.rejects.ndjson'],
])('the rejects of %s are written to %s', (input, rejects) => {
  expect(rejectsPath([input], '/', undefined, WINDOWS)).toBe(rejects);
});
