import { type Cipher, createUserCipher, newUserKey } from '../../platform/crypto/cipher.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';

/** Row counts of statements (see users.ts). */
const CHUNKS = [64, 8, 1];

interface Row {
  readonly hashId: string;
  readonly sealed: Uint8Array;
}

/** The keys that seal the personal fields of users. */
export const userKeys = {
  /**
   * Returns the ciphers of users, by hashId, and creates the keys that are missing. `hashIds` are sorted and differ. The
   * keys cannot be destroyed before the transaction ends.
   */
  async ensure(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    hashIds: readonly string[],
  ): Promise<Map<string, Cipher>> {
    const ciphers = new Map<string, Cipher>();
    const add = (rows: readonly Row[]) => {
      for (const { hashId, sealed } of rows)
        ciphers.set(hashId, cipherOf(cipher, workspaceId, hashId, sealed));
    };
    for (const part of chunked(hashIds))
      add(
        await tx.sql.all<Row>(
          `SELECT hash_id AS "hashId", sealed FROM user_key
           WHERE workspace_id = ? AND hash_id IN (${marks(part.length, '?')}) ORDER BY hash_id
           ${tx.sql.dialect.forKeyShare}`,
          [workspaceId, ...part],
        ),
      );
    for (const part of chunked(hashIds.filter((hashId) => !ciphers.has(hashId)))) {
      const params: SqlValue[] = part.flatMap((hashId) => [
        workspaceId,
        hashId,
        cipher.seal(newUserKey(), associatedData(workspaceId, hashId)),
      ]);
      add(
        await tx.sql.all<Row>(
          // Another transaction may have created a key meanwhile: that one holds.
          `INSERT INTO user_key (workspace_id, hash_id, sealed) VALUES ${marks(part.length, '(?, ?, ?)')}
           ON CONFLICT (workspace_id, hash_id) DO UPDATE SET sealed = user_key.sealed
           RETURNING hash_id AS "hashId", sealed`,
          params,
        ),
      );
    }
    return ciphers;
  },

  /** The cipher by which a user's fields are read. `sealed` is the stored key; null for a user of an earlier version. */
  cipherOf(cipher: Cipher, workspaceId: string, hashId: string, sealed: Uint8Array | null): Cipher {
    return sealed ? cipherOf(cipher, workspaceId, hashId, sealed) : cipher;
  },

  /** The cipher by which a user's fields are read. */
  async find(tx: Tx, cipher: Cipher, workspaceId: string, hashId: string): Promise<Cipher> {
    const row = await tx.sql.get<Row>(
      'SELECT hash_id AS "hashId", sealed FROM user_key WHERE workspace_id = ? AND hash_id = ?',
      [workspaceId, hashId],
    );
    return userKeys.cipherOf(cipher, workspaceId, hashId, row?.sealed ?? null);
  },

  async destroy(tx: Tx, workspaceId: string, hashId: string): Promise<void> {
    await tx.sql.run('DELETE FROM user_key WHERE workspace_id = ? AND hash_id = ?', [workspaceId, hashId]);
  },
};

function cipherOf(cipher: Cipher, workspaceId: string, hashId: string, sealed: Uint8Array): Cipher {
  return createUserCipher(cipher, cipher.open(sealed, associatedData(workspaceId, hashId)));
}

const associatedData = (workspaceId: string, hashId: string) => `${workspaceId}/${hashId}/key`;

const marks = (count: number, each: string) => Array(count).fill(each).join(', ');

function* chunked(all: readonly string[]): Generator<readonly string[]> {
  let from = 0;
  for (const size of CHUNKS)
    for (; all.length - from >= size; from += size) yield all.slice(from, from + size);
}
