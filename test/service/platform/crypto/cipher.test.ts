import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCipher } from '../../../../src/service/platform/crypto/cipher.ts';
import { hashId } from '../../../../src/service/platform/crypto/hash-id.ts';

const key = randomBytes(32);

test('decrypts what it encrypted, with a different ciphertext each time', () => {
  const cipher = createCipher(key);
  const sealed = cipher.seal('Zoë +49 30 1234', 'w1/h1/phone');
  expect(cipher.open(sealed, 'w1/h1/phone')).toBe('Zoë +49 30 1234');
  expect(sealed.includes('1234')).toBe(false);
  expect(cipher.seal('Zoë +49 30 1234', 'w1/h1/phone').equals(sealed)).toBe(false);
});

test('rejects a moved, changed, truncated or foreign value', () => {
  const cipher = createCipher(key);
  const sealed = cipher.seal('value', 'w1/h1/phone');
  expect(() => cipher.open(sealed, 'w1/h2/phone')).toThrow();
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i]! ^= 1;
    expect(() => cipher.open(changed, 'w1/h1/phone')).toThrow();
    expect(() => cipher.open(sealed.subarray(0, i), 'w1/h1/phone')).toThrow();
  }
  expect(() => createCipher(randomBytes(32)).open(sealed, 'w1/h1/phone')).toThrow();
});

test('a fingerprint identifies the key without containing it', () => {
  expect(createCipher(key).fingerprint).toBe(createCipher(Buffer.from(key)).fingerprint);
  expect(createCipher(key).fingerprint).not.toBe(createCipher(randomBytes(32)).fingerprint);
  expect(createCipher(key).fingerprint).toMatch(/^[0-9a-f]{16}$/);
  expect(() => createCipher(key.subarray(1))).toThrow(/32 bytes/);
});

test('a hashId is the HMAC-SHA-256 of RFC 4231, test case 2', () => {
  expect(hashId(Buffer.from('Jefe'), 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('the same user has different hashIds in two workspaces', () => {
  expect(hashId(randomBytes(32), 'u1')).not.toBe(hashId(randomBytes(32), 'u1'));
});
