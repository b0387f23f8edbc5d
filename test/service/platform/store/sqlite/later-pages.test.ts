import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { messages } from '../../../../../src/service/decisions/store/messages.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import type { Sql, Tx } from '../../../../../src/service/platform/store/store.ts';
import { deliveryRecords } from '../../../../../src/service/webhooks/store/records.ts';
import { tempDir } from '../../../../support/temp.ts';

const after = { at: 1000, id: 'x' };

test.each<[list: string, read: (tx: Tx) => Promise<unknown>, seeks: string]>([
  ['messages', (tx) => messages.waiting(tx, 'ws', 'h', {}, after), 'hash_id=? AND at_ms<?'],
  [
    'deliveries',
    (tx) => deliveryRecords.list(tx, 'ws', { webhookId: 'wh' }, 10, after),
    'webhook_id=? AND occurred_at<?',
  ],
])(
  'a later page of %s starts in the index, and reads none of the pages before it',
  async (_, read, seeks) => {
    const store = await SqliteStore.open(join(tempDir(), 'data.db'), systemClock);
    onTestFinished(() => store.close());
    const plans = await store.read(async (tx) => {
      const statements: [string, number][] = [];
      const all: Sql['all'] = (sql, params = []) => {
        statements.push([sql, params.length]);
        return tx.sql.all(sql, params);
      };
      await read({ ...tx, sql: { dialect: tx.sql.dialect, get: tx.sql.get, run: tx.sql.run, all } });
      return Promise.all(
        statements.map(async ([sql, count]) => {
          const steps = await tx.sql.all<{ detail: string }>(
            `EXPLAIN QUERY PLAN ${sql}`,
            Array(count).fill(0),
          );
          return steps.map(({ detail }) => detail).join('\n');
        }),
      );
    });
    expect(plans).not.toEqual([]);
    for (const plan of plans) expect(plan).toContain(seeks);
  },
);
