import { type Cipher, createUserCipher, newUserKey } from '../../platform/crypto/cipher.ts';
import { chunked, marks } from '../../platform/store/rows.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';

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
        ciphers.set(hashId, userKeys.cipherOf(cipher, workspaceId, hashId, sealed));
    };
    for (const part of chunked(hashIds))
      add(
        await tx.sql.all<Row>(
          `SELECT hash_id AS "hashId", sealed FROM user_key
           WHERE workspace_id = ? AND hash_id IN (${marks(part.length)}) ORDER BY hash_id
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

  /** The cipher by which a user's fields are read. `sealed` is the stored key; null if nothing of the user is sealed. */
  cipherOf(cipher: Cipher, workspaceId: string, hashId: string, sealed: Uint8Array | null): Cipher {
    if (!sealed) return cipher;
    return createUserCipher(cipher, cipher.open(sealed, associatedData(workspaceId, hashId)));
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

const associatedData = (workspaceId: string, hashId: string) => `${workspaceId}/${hashId}/key`;
