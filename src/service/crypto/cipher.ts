import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Layout of a sealed value: this byte, 12 bytes nonce, 16 bytes tag, ciphertext. */
const LAYOUT = 1;
const NONCE = 12;
const TAG = 16;

/** Seals text so that only the holder of the data key reads it, and only in the place it was sealed for. */
export interface Cipher {
  /** `place` names the row and column; a value moved elsewhere does not open. */
  seal(text: string, place: string): Buffer;
  /** Throws where the value was changed, cut, moved, or sealed with another key. */
  open(sealed: Uint8Array, place: string): string;
  /** Tells one key from another and gives nothing else away: first 16 hex characters of a domain-separated SHA-256. */
  readonly fingerprint: string;
  /** False where the key is missing: then it neither seals nor opens. */
  readonly usable: boolean;
}

/** What is asked for needs the data key, which this node was not given. */
export class DataKeyMissing extends Error {
  constructor(fingerprint: string) {
    super(`the data key with fingerprint ${fingerprint} is missing on this node`);
    this.name = 'DataKeyMissing';
  }
}

/** Stands in for a cipher whose key is elsewhere: throws DataKeyMissing. */
export function withoutKey(fingerprint: string): Cipher {
  const refuse = () => {
    throw new DataKeyMissing(fingerprint);
  };
  return { fingerprint, usable: false, seal: refuse, open: refuse };
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce a value and the place as additional data.
 * `key` is 32 bytes; throws for any other length.
 */
export function createCipher(key: Uint8Array): Cipher {
  if (key.byteLength !== 32) throw new RangeError('a data key has 32 bytes');
  const secret = Buffer.from(key);
  return {
    fingerprint: createHash('sha256').update('svc data key\0').update(secret).digest('hex').slice(0, 16),
    usable: true,
    seal(text, place) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG });
      cipher.setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(LAYOUT), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < 1 + NONCE + TAG || bytes[0] !== LAYOUT) throw new Error('not a sealed value');
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(1, 1 + NONCE), {
        authTagLength: TAG,
      });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(1 + NONCE, 1 + NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE + TAG)), decipher.final()]).toString(
        'utf8',
      );
    },
  };
}
