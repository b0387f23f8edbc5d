import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { InFlight } from '../../../../../src/service/platform/store/postgres/in-flight.ts';
import { StoreUnavailable } from '../../../../../src/service/platform/store/store.ts';

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject('postgres') });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('statements that wait for a lost worker are given up, the others go on, and no more are sent to it', async () => {
  const [holder, first, second] = [await connect(), await connect(), await connect()];
  const lost = new Set<string>();
  const inFlight = new InFlight((id) => lost.has(id));
  await holder.query('SELECT pg_advisory_lock(73)');
  const wait = (client: pg.Client, workspaceId: string) =>
    inFlight.send(client, workspaceId, () => client.query('SELECT pg_advisory_lock(73)'));
  const [out, inReach] = [wait(first, 'ws_out'), wait(second, 'ws_in')];
  lost.add('ws_out');
  inFlight.giveUp();
  await expect(out).rejects.toThrow('Connection terminated');
  await holder.query('SELECT pg_advisory_unlock(73)');
  expect((await inReach).rowCount).toBe(1);
  await expect(wait(second, 'ws_out')).rejects.toThrow(StoreUnavailable);
});

test('a statement of no known workspace is given up once it has waited for long', async () => {
  const [holder, waiting, working] = [await connect(), await connect(), await connect()];
  const inFlight = new InFlight(() => false);
  await holder.query('SELECT pg_advisory_lock(74)');
  const late = inFlight.send(waiting, undefined, () => waiting.query('SELECT pg_advisory_lock(74)'));
  inFlight.giveUp();
  const giving = setInterval(() => inFlight.giveUp(), 50);
  onTestFinished(() => clearInterval(giving));
  await expect(late).rejects.toThrow('Connection terminated');
  expect((await inFlight.send(working, undefined, () => working.query('SELECT 1'))).rowCount).toBe(1);
});
