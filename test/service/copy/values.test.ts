import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { copyStore } from '../../../src/service/copy/copy.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import type { SqlValue, Store } from '../../../src/service/platform/store/store.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { tempDir } from '../../support/temp.ts';

const OPTIONS = {
  workspaces: [],
  freeze: false,
  opens: true,
  clock: systemClock,
  signal: new AbortController().signal,
};

async function opened(database: string): Promise<Store> {
  const store = await connectStore(database, systemClock);
  onTestFinished(() => store.close());
  return store;
}

/** PostgreSQL stores no NUL. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const awkward = fc.oneof(
  text,
  fc.constantFrom(
    '',
    '~',
    '#1;',
    '3:abc',
    'NULL',
    '\\N',
    '\\.',
    '\\x41',
    '\b\f\v\u0001',
    '{"a":1.50}',
    '\n\t\r"\\,',
  ),
);
const bytes = fc.option(fc.uint8Array({ maxLength: 40 }), { nil: null });
const real = fc.option(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  { nil: null },
);
const row = fc.tuple(
  fc.option(awkward, { nil: null }),
  awkward,
  bytes,
  real,
  real,
  fc.option(fc.integer({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1 }), { nil: null }),
);

const INSERT = `INSERT INTO decision (workspace_id, decision_id, seq, hash_id, at_ms, model_version, seed, candidates,
  content_id, context, explanation, prior, reward, counted_at) VALUES ('w', ?, ?, 'h', 1, 1, 's', '[]', ?, ?, ?, ?, ?, ?)`;

async function rowsIn(store: Store) {
  const rows = await store.read(({ sql }) =>
    sql.all<Record<string, SqlValue>>(
      `SELECT seq, content_id, context, explanation, prior, reward, counted_at FROM decision
       WHERE workspace_id = 'w' ORDER BY seq`,
      [],
    ),
  );
  return rows.map(({ explanation, ...others }) => ({
    ...others,
    explanation: explanation === null ? null : Buffer.from(explanation as Uint8Array).toString('hex'),
  }));
}

test('every value is the same in the other engine and back, and one that was changed is found', async () => {
  const source = await opened(join(tempDir(), 'data.db'));
  const rows = fc.sample(row, { numRuns: 400, seed: 20_261_127 });
  await source.write(async (tx) => {
    await createWorkspaceRows(tx, { id: 'w', mode: 'live', region: null });
    for (const [i, values] of rows.entries()) await tx.sql.run(INSERT, [`d${i}`, i + 1, ...values]);
  });
  const other = await opened(await freshDatabase(tempDir()));
  const first = await copyStore(source, other, { ...OPTIONS, opens: false });
  const again = await opened(join(tempDir(), 'again.db'));
  const second = await copyStore(other, again, OPTIONS);
  expect(second.tables).toEqual(first.tables);
  expect(await rowsIn(other)).toEqual(await rowsIn(source));
  expect(await rowsIn(again)).toEqual(await rowsIn(source));

  // An interrupted copy in which a byte changed before it goes on.
  const changed = await opened(await freshDatabase(tempDir()));
  const onProgress = ({ table }: { table: string }) => {
    if (table === 'decision') throw new Error('interrupted');
  };
  await expect(copyStore(source, changed, { ...OPTIONS, onProgress })).rejects.toThrow('interrupted');
  const set = await changed.write(({ sql }) =>
    sql.run("UPDATE decision SET context = context || 'x' WHERE workspace_id = 'w' AND seq = 7", []),
  );
  expect(set).toBe(1);
  await copyStore(source, changed, OPTIONS);
  expect(await rowsIn(changed)).toEqual(await rowsIn(source));
});
