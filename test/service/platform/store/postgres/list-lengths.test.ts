import { expect, test } from 'vitest';
import { contentCounts } from '../../../../../src/service/decisions/store/content-counts.ts';
import { decisions } from '../../../../../src/service/decisions/store/decisions.ts';
import { events } from '../../../../../src/service/events/store/events.ts';
import type { Sql, SqlValue, Tx } from '../../../../../src/service/platform/store/store.ts';
import { deliveryRecords } from '../../../../../src/service/webhooks/store/records.ts';
import { startTestService } from '../../../../support/process/service.ts';

/** More values than a connection may have prepared statements for lists of different lengths. */
const LENGTHS = [1, 2, 3, 7, 20, 63, 200];

const READS: Readonly<Record<string, (tx: Tx, workspaceId: string, ids: readonly string[]) => unknown>> = {
  'locales of decisions': (tx, workspaceId, ids) => decisions.localesOf(tx, workspaceId, ids),
  'earnings of contents': (tx, workspaceId, ids) => contentCounts.totalsOf(tx, workspaceId, ids),
  'attempts of deliveries': (tx, workspaceId, ids) => deliveryRecords.attemptsOf(tx, workspaceId, ids),
  'events by name': (tx, workspaceId, ids) => events.named(tx, workspaceId, ids, 0, 10, 10),
};

test.each(Object.keys(READS))('one prepared statement reads the %s, however many they are', async (name) => {
  const { platform, workspace } = await startTestService();
  const texts = new Set<string>();
  await platform.store.read(async (tx) => {
    const sql: Sql = {
      ...tx.sql,
      dialect: tx.sql.dialect,
      get: (text: string, params?: readonly SqlValue[]) => tx.sql.get(text, params),
      run: (text: string, params?: readonly SqlValue[]) => tx.sql.run(text, params),
      all: (text: string, params?: readonly SqlValue[]) => {
        texts.add(text);
        return tx.sql.all(text, params);
      },
    };
    for (const length of LENGTHS)
      await READS[name]!(
        { ...tx, sql } as Tx,
        workspace,
        Array.from({ length }, (_, i) => `id "${i}", \\ {é}`),
      );
  });
  expect([...texts]).toHaveLength(1);
});
