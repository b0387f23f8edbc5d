import type { Tx } from './store.ts';

/** The setting that says when the last backup was made, Unix ms. */
export const BACKUP = 'backup';

/** Settings of the whole store, as JSON by name, which every process on it follows. */
export const settings = {
  async get<T>(tx: Tx, name: string): Promise<T | undefined> {
    const row = await tx.sql.get<{ value: string }>('SELECT value FROM setting WHERE name = ?', [name]);
    return row === undefined ? undefined : (JSON.parse(row.value) as T);
  },

  async set(tx: Tx, name: string, value: unknown): Promise<void> {
    await tx.sql.run(
      'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, JSON.stringify(value)],
    );
    await tx.notify('settings');
  },
};
