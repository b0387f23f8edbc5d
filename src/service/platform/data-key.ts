import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../../kit/files/private-file.ts';
import { type Cipher, createCipher, withoutKey } from './crypto/cipher.ts';
import { settings } from './store/settings.ts';
import { type Store, StoreUnusable } from './store/store.ts';

/** The data key is missing, malformed or belongs to other data. The data itself is intact. */
class DataKeyUnusable extends StoreUnusable {
  constructor(message: string, cause?: unknown) {
    super(message, cause);
    this.name = 'DataKeyUnusable';
  }
}

const SETTING = 'dataKeyFingerprint';
const KEY = /^[0-9a-f]{64}$/i;

/**
 * Opens the cipher of a store's personal fields. The key is 32 bytes as 64 hex characters, from `given` (SVC_DATA_KEY) or
 * from a file with mode 0600 beside the data, which the first start creates. The store holds the key's fingerprint.
 * Rejects with DataKeyUnusable if the key is missing, unreadable or not the one that encrypted the data. On a `shared`
 * database other nodes may have the key: a node without it gets an unusable cipher and serves what needs no key.
 */
export async function openDataKey(
  store: Store,
  file: string,
  given: string | undefined,
  shared = false,
): Promise<Cipher> {
  if (given !== undefined && !KEY.test(given))
    throw new DataKeyUnusable('SVC_DATA_KEY must be 64 hex characters: 32 bytes');
  return store.write(async (tx) => {
    await tx.lock(SETTING);
    const fingerprint = await settings.get<string>(tx, SETTING);
    const key = given ?? readKey(file);
    if (key === undefined) {
      if (shared && fingerprint !== undefined) return withoutKey(fingerprint);
      if (fingerprint !== undefined)
        throw new DataKeyUnusable(
          `the data key is missing: restore ${file}, or set SVC_DATA_KEY to the key with fingerprint ${fingerprint}`,
        );
      const generated = randomBytes(32).toString('hex');
      // Written before the commit: a start that was killed between the two reuses the file.
      writePrivateFile(file, `${generated}\n`);
      return adopt(generated);
    }
    const cipher = createCipher(Buffer.from(key, 'hex'));
    if (fingerprint !== undefined && fingerprint !== cipher.fingerprint)
      throw new DataKeyUnusable(
        `${given === undefined ? file : 'SVC_DATA_KEY'} holds another key (${cipher.fingerprint}) than the one that encrypted the data (${fingerprint}): restore the right key`,
      );
    return fingerprint === undefined ? adopt(key) : cipher;

    async function adopt(adoptedKey: string): Promise<Cipher> {
      const adopted = createCipher(Buffer.from(adoptedKey, 'hex'));
      await settings.set(tx, SETTING, adopted.fingerprint);
      return adopted;
    }
  });
}

function readKey(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataKeyUnusable(`${file} cannot be read: ${(error as Error).message}`, error);
  }
  if (KEY.test(text)) return text;
  throw new DataKeyUnusable(
    `${file} is damaged: it must contain 64 hex characters. Restore it from a backup`,
  );
}
