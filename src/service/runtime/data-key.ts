import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../../kit/private-file.ts';
import { type Cipher, createCipher, withoutKey } from '../crypto/cipher.ts';
import { settings } from '../store/repositories/settings.ts';
import { type Store, StoreUnusable } from '../store/store.ts';

/** The key is missing, malformed or of other data: the data itself is in order. */
class DataKeyUnusable extends StoreUnusable {
  constructor(message: string, cause?: unknown) {
    super(message, cause);
    this.name = 'DataKeyUnusable';
  }
}

const SETTING = 'dataKeyFingerprint';
const KEY = /^[0-9a-f]{64}$/i;

/**
 * The cipher of a store's personal fields. The key is 32 bytes as 64 hex characters, from `given` (the environment's
 * SVC_DATA_KEY) or a 0600 file beside the data, where the first start makes it. The store keeps the key's fingerprint.
 * Rejects with DataKeyUnusable where the key is unreadable or another one than the data was sealed with, and where it is
 * missing. On a `shared` database the key may be with the other nodes: there a node without it still does what needs
 * no key, with a cipher that is not usable.
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
    const known = given ?? readKey(file);
    if (known === undefined) {
      if (shared && fingerprint !== undefined) return withoutKey(fingerprint);
      if (fingerprint !== undefined)
        throw new DataKeyUnusable(
          `the key of the personal fields is missing: restore ${file}, or set SVC_DATA_KEY to the key with fingerprint ${fingerprint}`,
        );
      const made = randomBytes(32).toString('hex');
      // Written before the commit: a start that is killed between the two takes the file up again.
      writePrivateFile(file, `${made}\n`);
      return adopt(made);
    }
    const cipher = createCipher(Buffer.from(known, 'hex'));
    if (fingerprint !== undefined && fingerprint !== cipher.fingerprint)
      throw new DataKeyUnusable(
        `${given === undefined ? file : 'SVC_DATA_KEY'} holds another key (${cipher.fingerprint}) than the data was sealed with (${fingerprint}): restore the right one`,
      );
    return fingerprint === undefined ? adopt(known) : cipher;

    async function adopt(key: string): Promise<Cipher> {
      const adopted = createCipher(Buffer.from(key, 'hex'));
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
  throw new DataKeyUnusable(`${file} is damaged: it must hold 64 hex characters; restore it`);
}
