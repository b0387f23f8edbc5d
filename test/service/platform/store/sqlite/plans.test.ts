import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { decisions } from '../../../../../src/service/decisions/store/decisions.ts';
import { earnings } from '../../../../../src/service/decisions/store/earnings.ts';
import { messages } from '../../../../../src/service/decisions/store/messages.ts';
import { shownContents } from '../../../../../src/service/decisions/store/shown-contents.ts';
import { recentEvents } from '../../../../../src/service/events/store/recent-events.ts';
import { userSignals } from '../../../../../src/service/events/store/user-signals.ts';
import { notifications } from '../../../../../src/service/notifications/store/notifications.ts';
import { marketingSent } from '../../../../../src/service/notifications/store/sent.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import type { Sql, SqlValue, Tx } from '../../../../../src/service/platform/store/store.ts';
import { contacts } from '../../../../../src/service/users/store/contacts.ts';

/** What a request reads of one user. */
const OF_A_USER: Record<string, (tx: Tx) => Promise<unknown>> = {
  signals: (tx) => userSignals.ofUser(tx, 'ws', 'u'),
  'recent events': (tx) =>
    recentEvents.count(tx, 'ws', 'u', [{ key: 'k', event: 'viewed', since: 0, enough: 3 }]),
  history: (tx) => decisions.history(tx, 'ws', 'h', 30),
  contacts: (tx) => contacts.count(tx, 'ws', 'h', 0, 1),
  'shown contents': (tx) => shownContents.ofUser(tx, 'ws', 'h'),
  'waiting messages': (tx) => messages.waiting(tx, 'ws', 'h'),
  'a waiting message': (tx) => messages.find(tx, 'ws', { hashId: 'h', channel: null, surface: null }, 'c'),
  'expired messages': (tx) => messages.purgeOf(tx, 'ws', 'h'),
  'sent marketing': (tx) =>
    marketingSent.count(
      tx,
      { workspaceId: 'ws', hashId: 'h', notificationId: 'n', templateId: 't', category: undefined },
      { day: 0, week: 0 },
    ),
  notifications: (tx) =>
    notifications.list(
      tx,
      'ws',
      { hashId: 'h', status: undefined, failure: undefined, since: undefined, until: undefined },
      10,
      undefined,
    ),
};

/** The plans by which SQLite runs the statements of `work`, in a new database. */
async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const store = await SqliteStore.open(join(dir, 'store.db'), systemClock);
  onTestFinished(() => store.close());
  const statements: [string, readonly SqlValue[]][] = [];
  const note = (statement: string, params: readonly SqlValue[] = []) => statements.push([statement, params]);
  await store.write(({ sql, ...tx }) => {
    const recording: Sql = {
      dialect: sql.dialect,
      all: (...args) => {
        note(...args);
        return sql.all(...args);
      },
      get: (...args) => {
        note(...args);
        return sql.get(...args);
      },
      run: (statement, params, options) => {
        note(statement, params);
        return sql.run(statement, params, options);
      },
    };
    return work({ ...tx, sql: recording });
  });
  const explaining = new Database(join(dir, 'store.db'));
  onTestFinished(() => void explaining.close());
  const steps = statements.flatMap(
    ([statement, params]) =>
      explaining.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...params) as { detail: string }[],
  );
  return steps.map(({ detail }) => detail).filter((detail) => /^(SEARCH|SCAN) \w+ USING/.test(detail));
}

test.for(Object.entries(OF_A_USER))('reads of %s find the rows of a user by the user', async ([, work]) => {
  const plans = await plansOf(work);
  expect(plans).not.toEqual([]);
  for (const plan of plans)
    expect(plan).toMatch(/\(workspace_id=\? AND (?:(?:event=\? AND )?user_id|hash_id)=\?/);
});

test('the look for decisions without a reward reads no decision that has one', async () => {
  for (const read of [earnings.anyUnsettled, earnings.firstUnsettled]) {
    const plans = await plansOf((tx) => read(tx, 'ws'));
    expect(plans.map((plan) => /INDEX (\w+)/.exec(plan)?.[1])).toEqual(['decision_by_counting']);
  }
});
