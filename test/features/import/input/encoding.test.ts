import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf } from '../../../../src/features/import/input/bytes.ts';
import { encodingName, transcoded } from '../../../../src/features/import/input/encoding.ts';
import { sourceOf } from '../../../support/collect.ts';
import { importer } from '../../../support/scenarios/importer.ts';

async function read(bytes: Buffer, encoding: string, chunk = 1 << 20): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const part of chunksOf(transcoded(sourceOf(bytes, chunk), encoding))) chunks.push(part);
  return Buffer.concat(chunks);
}

test('UTF-16 of any text becomes its UTF-8, for any division into reads; half a pair is never replaced', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom('a', '\uFFFD', '\ud83d', '\ude00', '😀'), { maxLength: 6 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      async (text, odd, bigEndian, chunk) => {
        const bytes = Buffer.from(text + odd.join(''), 'utf16le');
        const given = bigEndian ? Buffer.from(bytes).swap16() : bytes;
        const result = await read(given, bigEndian ? 'utf-16be' : 'utf-16le', chunk);
        const expected = [...(text + odd.join(''))].map((c) =>
          c.isWellFormed() ? Buffer.from(c) : Buffer.from([0xff]),
        );
        expect(result).toEqual(Buffer.concat(expected));
      },
    ),
  );
});

test('the bytes of a code page become its characters, and what is none of them no replacement', async () => {
  expect((await read(Buffer.from([0x80, 0xe9, 0x93, 0x41]), 'windows-1252', 1)).toString()).toBe('€é“A');
  expect((await read(Buffer.from([0xcf, 0xf0]), 'windows-1251')).toString()).toBe('Пр');
  expect((await read(Buffer.from('93fa967b41', 'hex'), 'shift_jis', 1)).toString()).toBe('日本A');
  expect(await read(Buffer.from('93fa8141', 'hex').subarray(0, 3), 'shift_jis', 1)).toEqual(
    Buffer.concat([Buffer.from('日'), Buffer.from([0xff])]),
  );
  expect(encodingName('latin1')).toBe('windows-1252');
  expect(encodingName('klingon')).toBeUndefined();
});

const HEAD = 'userId,event,timestamp,name\n';
const row = (id: string, name: string) => `${id},e,2026-01-31T12:00:00Z,${name}\n`;

test('a CSV in UTF-16 by its mark, and one in --encoding: what arrives is the text', async () => {
  const text = HEAD + row('u', 'Łódź 😀') + row('v', 'Zoë');
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  for (const bytes of [utf16, Buffer.from(utf16).swap16()]) {
    const { run, service } = importer({ 'a.csv': bytes });
    expect((await run()).result).toMatchObject({ accepted: 2, rejected: 0 });
    expect(service.stored.map((record) => JSON.parse(record).properties.name)).toEqual(['Łódź 😀', 'Zoë']);
  }
  const { run, service } = importer({ 'a.csv': Buffer.from(HEAD + row('v', 'Zoë'), 'latin1') });
  expect((await run({ reading: { encoding: 'windows-1252' } })).result).toMatchObject({ accepted: 1 });
  expect(service.stored[0]).toContain('"Zoë"');
});

test('a record with a character that the encoding does not have is rejected alone', async () => {
  const bytes = Buffer.concat([
    Buffer.from(`\ufeff${HEAD}${row('u', 'a')}v,e,2026-01-31T12:00:00Z,`, 'utf16le'),
    Buffer.from('3dd8', 'hex'),
    Buffer.from(`\n${row('w', 'c')}`, 'utf16le'),
  ]);
  const { run, rejects } = importer({ 'a.csv': bytes });
  expect((await run()).result).toMatchObject({ accepted: 2, rejected: 1 });
  expect(rejects()).toMatchObject([{ line: 3, reason: 'has bytes that are not utf-16le text' }]);
});
