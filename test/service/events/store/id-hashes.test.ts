import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BatchIds, hashBatch, idKeyOf } from '../../../../src/service/events/store/ids/id-hashes.ts';
import { sipHash, WORDS } from '../../../../src/service/events/store/ids/sip-hash.ts';

/** SipHash-2-4 with 64-bit integers, as its authors describe it, with 128 bits of output. */
function reference(key: Uint8Array, message: Uint8Array): string {
  const mask = (1n << 64n) - 1n;
  const little = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const rotated = (x: bigint, by: bigint) => ((x << by) | (x >> (64n - by))) & mask;
  const [k0, k1] = [little(key.subarray(0, 8)), little(key.subarray(8))];
  let [a, b, c, d] = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn ^ 0xeen,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const rounds = (n: number) => {
    for (; n > 0; n--) {
      a = (a + b) & mask;
      b = rotated(b, 13n) ^ a;
      a = rotated(a, 32n);
      c = (c + d) & mask;
      d = rotated(d, 16n) ^ c;
      a = (a + d) & mask;
      d = rotated(d, 21n) ^ a;
      c = (c + b) & mask;
      b = rotated(b, 17n) ^ c;
      c = rotated(c, 32n);
    }
  };
  const padded = new Uint8Array(Math.floor(message.length / 8) * 8 + 8);
  padded.set(message);
  padded[padded.length - 1] = message.length & 0xff;
  for (let i = 0; i < padded.length; i += 8) {
    const word = little(padded.subarray(i, i + 8));
    d ^= word;
    rounds(2);
    a ^= word;
  }
  c ^= 0xeen;
  rounds(4);
  const first = a ^ b ^ c ^ d;
  b ^= 0xddn;
  rounds(4);
  const out = Buffer.alloc(16);
  out.writeBigUInt64LE(first, 0);
  out.writeBigUInt64LE(a ^ b ^ c ^ d, 8);
  return out.toString('hex', 0, 4 * WORDS);
}

function hashed(key: Uint8Array, bytes: Uint8Array, from = 0, to = bytes.length): string {
  const out = new Uint32Array(WORDS + 1);
  sipHash(new Uint32Array(Uint8Array.from(key).buffer), bytes, from, to, out, 1);
  return Buffer.from(out.buffer, 4).toString('hex');
}

const counting = (count: number) => Uint8Array.from({ length: count }, (_, i) => i);

// The vectors of the reference implementation (vectors_sip128): the key 00 to 0f, and the messages 00, 01, …
test.each([
  [0, 'a3817f04ba25a8e66df67214'],
  [1, 'da87c1d86b99af44347659119b22fc45'.slice(0, 24)],
  [15, '5493e99933b0a8117e08ec0f'],
])('the hash of the test vector with %i bytes', (count, expected) => {
  expect(reference(counting(16), counting(count))).toBe(expected);
  expect(hashed(counting(16), counting(count))).toBe(expected);
});

test('agrees with the definition for any key, message and place in a buffer', () => {
  const key = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(key, fc.uint8Array({ maxLength: 160 }), fc.nat(9), (of, message, before) => {
      const bytes = new Uint8Array(before + message.length + 5).fill(0xa5);
      bytes.set(message, before);
      expect(hashed(of, bytes, before, before + message.length)).toBe(reference(of, message));
    }),
  );
});

const batchOf = (ids: readonly string[]): BatchIds => {
  const ranges: number[] = [];
  let end = 0;
  for (const id of ids) {
    const from = end;
    end += Buffer.byteLength(id);
    ranges.push(from, end);
  }
  return { bytes: Buffer.from(ids.join('')), ranges, indexes: ids.map((_, i) => i) };
};

test('finds exactly the ids that an earlier one of the batch has', () => {
  const key = idKeyOf(counting(32));
  const few = fc.array(fc.constantFrom('', 'a', 'b', 'ab', 'é', 'é', 'x'.repeat(128)), { maxLength: 60 });
  const any = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 60 });
  fc.assert(
    fc.property(fc.oneof(few, any), (ids) => {
      const expected = ids.flatMap((id, i) => (ids.indexOf(id) < i ? [i] : []));
      expect(hashBatch(key, batchOf(ids)).repeated).toEqual(expected);
    }),
  );
});

test('hashes depend on the key of the workspace', () => {
  const of = (seed: number) => hashBatch(idKeyOf(counting(32).fill(seed)), batchOf(['a'])).hashes;
  expect(of(1)).not.toEqual(of(2));
  expect(of(1)).toEqual(of(1));
});
