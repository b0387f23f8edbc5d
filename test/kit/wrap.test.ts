import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrap } from '../../src/kit/wrap.ts';

const word = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', '-') });

it('keeps every word, in order, within the columns', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 16, max: 80 }), (words, columns) => {
      const lines = wrap(words.join(' '), columns, '    ');
      expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(words);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    }),
  );
});

it('does not wrap without columns, and does not break a word that is too long', () => {
  expect(wrap('one two', undefined, '  ')).toEqual(['  one two']);
  expect(wrap('a verylongword b', 6, '')).toEqual(['a', 'verylongword', 'b']);
});

it('measures text by its width in a terminal', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('日本 日本 日本', 9)).toEqual(['日本 日本', '日本']);
  expect(wrap('a-word-that-is-too-long b', 5)).toEqual(['a-word-that-is-too-long', 'b']);
  expect(wrap('', 5)).toEqual(['']);
});
