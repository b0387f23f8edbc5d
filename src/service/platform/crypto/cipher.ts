import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * First byte of an encrypted value, before a 12-byte nonce, a 16-byte tag and the ciphertext: sealed with the data key,
 * or with the key of a user.
 */
const BY_DATA_KEY = 1;
const BY_USER_KEY = 2;
const NONCE = 12;
const TAG = 16;

/** Encrypts text with the data key, bound to associated data. */
export interface Cipher {
  /** `associatedData` names the row and column; a value moved elsewhere cannot be decrypted. */
  seal(text: string, associatedData: string): Buffer;
  /** Throws if the value was changed, truncated, moved, or encrypted with another key. */
  open(sealed: Uint8Array, associatedData: string): string;
  /** HMAC-SHA-256 of text under a key that is derived from the data key for this purpose alone (HKDF, RFC 5869). */
  mac(purpose: string, text: string): Buffer;
  /** Identifies the key without revealing it: the first 16 hex characters of a domain-separated SHA-256. */
  readonly fingerprint: string;
  /** False if the key is missing: then the operations throw DataKeyMissing. */
  readonly usable: boolean;
}

/** The operation requires the data key, which this node does not have. */
export class DataKeyMissing extends Error {
  constructor(fingerprint: string) {
    super(`the data key with fingerprint ${fingerprint} is missing on this node`);
    this.name = 'DataKeyMissing';
  }
}

/** A cipher for a node without the data key: its operations throw DataKeyMissing. */
export function withoutKey(fingerprint: string): Cipher {
  const refuse = () => {
    throw new DataKeyMissing(fingerprint);
  };
  return { fingerprint, usable: false, seal: refuse, open: refuse, mac: refuse };
}

/**
 * Creates an AES-256-GCM cipher (NIST SP 800-38D) with a random 96-bit nonce per value.
 * `key` is 32 bytes; throws RangeError for any other length.
 */
export function createCipher(key: Uint8Array): Cipher {
  const { seal, open } = aes(key, BY_DATA_KEY);
  const fingerprint = createHash('sha256').update('svc data key\0').update(key).digest('hex').slice(0, 16);
  const derived = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    const known = derived.get(purpose);
    if (known) return known;
    const made = Buffer.from(hkdfSync('sha256', key, '', `svc ${purpose}`, 32));
    derived.set(purpose, made);
    return made;
  };
  return {
    fingerprint,
    usable: true,
    seal,
    open,
    mac: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest(),
  };
}

/** A new key of a user, as text. */
export const newUserKey = (): string => randomBytes(32).toString('hex');

/** Creates the cipher of a user's personal fields: nobody can read them once the key is destroyed. */
export function createUserCipher(cipher: Cipher, key: string): Cipher {
  return { ...cipher, ...aes(Buffer.from(key, 'hex'), BY_USER_KEY) };
}

function aes(key: Uint8Array, layout: number): Pick<Cipher, 'seal' | 'open'> {
  if (key.byteLength !== 32) throw new RangeError('a data key must have 32 bytes');
  const secret = Buffer.from(key);
  return {
    seal(text, associatedData) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG });
      cipher.setAAD(Buffer.from(associatedData));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(layout), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, associatedData) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < 1 + NONCE + TAG || bytes[0] !== layout) throw new Error('not an encrypted value');
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(1, 1 + NONCE), {
        authTagLength: TAG,
      });
      decipher.setAAD(Buffer.from(associatedData));
      decipher.setAuthTag(bytes.subarray(1 + NONCE, 1 + NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE + TAG)), decipher.final()]).toString(
        'utf8',
      );
    },
  };
}
