import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, sanitize, sanitizeJson, sanitizeLine } from '../../../src/cli/terminal/sanitize.ts';

/** What must never reach a terminal raw: C0 but tab and newline, DEL, C1, bidirectional, zero-width, lone surrogates. */
const HARMFUL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udfff]/u;
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '\u202e', '\u200b', '\ud800', '\udc00', '\r', '\u0007', '\u{e0041}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('sanitize', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u001b]52;c;aGk=\u0007', '\\x1b]52;c;aGk=\\x07'],
    ['\u009b31m', '\\x9b31m'],
    ['abc\u202edef', 'abc\\u202edef'],
    ['a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
    ['over\rwrite', 'over\\x0dwrite'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\ud800'],
    ['naïve 日本語 😀\ttab\nline', 'naïve 日本語 😀\ttab\nline'],
  ])('escapes %j', (text, cleaned) => {
    expect(sanitize(text)).toBe(cleaned);
  });

  it('leaves no unsafe character in any text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(sanitize(text)).not.toMatch(HARMFUL);
        expect(sanitizeLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it('keeps safe text unchanged', () => {
    const harmless = fc.string({ unit: fc.constantFrom(...'abc XYZ 09 ~!{}äöüßéñ日本語😀\n\t') });
    fc.assert(
      fc.property(harmless, (text) => {
        expect(sanitize(text)).toBe(text);
      }),
    );
  });
});

describe('sanitizeJson', () => {
  it('is safe and parses to the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        const json = sanitizeJson(value);
        expect(json).not.toMatch(HARMFUL);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps the spelling of foreign JSON', () => {
    expect(escapeJson('{"n": 12345678901234567890, "x": 1.50, "s": "\u202e"}')).toBe(
      '{"n": 12345678901234567890, "x": 1.50, "s": "\\u202e"}',
    );
  });
});
