import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { idempotency } from '../../../../../src/service/platform/store/idempotency.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { StoreUnavailable } from '../../../../../src/service/platform/store/store.ts';
import { createDatabase, startPostgres } from '../../../../support/postgres/postgres.ts';
import { outsider } from '../../../../support/postgres/row-lock.ts';

it('a commit whose wait for the standby is cancelled is not acknowledged, nor is its repetition', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = await createDatabase(server.admin);
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  const other = await outsider(url);
  await other.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await other.query('SELECT pg_reload_conf(), pg_sleep(0.2)');
  // Commits wait once the checkpointer has read the setting.
  await other.query('CHECKPOINT');
  const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  /** Cancels the wait of the commit, as statement_timeout does. */
  const cutOff = async () => {
    await vi.waitUntil(async () => (await other.query(waiting)).rowCount === 1, { timeout: 8_000 });
    await other.query(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS w`);
  };
  const answer = { digest: 'd', status: 202, body: null };
  const first = store.write((tx) => idempotency.keep(tx, 'ws', 'k', answer));
  first.catch(() => {});
  await cutOff();
  await expect(first).rejects.toThrow(StoreUnavailable);

  const repetition = store.write((tx) => idempotency.find(tx, 'ws', 'k'));
  repetition.catch(() => {});
  await cutOff();
  await expect(repetition).rejects.toThrow(StoreUnavailable);

  await other.query('ALTER SYSTEM RESET synchronous_standby_names');
  await other.query('SELECT pg_reload_conf()');
  expect(await store.write((tx) => idempotency.find(tx, 'ws', 'k'))).toMatchObject(answer);
});
