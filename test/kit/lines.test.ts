import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineTooLong, readLines } from '../../src/kit/lines.ts';

async function linesOf(chunks: Iterable<Uint8Array | string>, maxLength = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(
    (async function* () {
      yield* chunks;
    })(),
    maxLength,
  ))
    lines.push(line);
  return lines;
}

describe('readLines', () => {
  it('yields the same lines however the bytes are cut into chunks', async () => {
    const text = '\uFEFFone\r\nzwei ä€😀\n\n{"u":"a\u2028b\u2029c\rd"}\r\nno end';
    const expected = ['one', 'zwei ä€😀', '', '{"u":"a\u2028b\u2029c\rd"}', 'no end'];
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        expect(await linesOf(chunks)).toEqual(expected);
      }),
    );
  });

  it('yields no line after the last line feed, and none for an empty stream', async () => {
    expect(await linesOf(['a\n', 'b\n'])).toEqual(['a', 'b']);
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf(['\n'])).toEqual(['']);
  });

  it.each([
    [
      'that never ends',
      function* () {
        for (;;) yield 'xxxxxxxx';
      },
    ],
    [
      'inside a chunk',
      function* () {
        yield `short\n${'x'.repeat(101)}\nshort\n`;
      },
    ],
  ])('refuses a line that is too long %s', async (_, chunks) => {
    await expect(linesOf(chunks(), 100)).rejects.toBeInstanceOf(LineTooLong);
  });
});
