import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startReceiver } from '../../../../support/peers/receiver.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { startTestService } from '../../../../support/process/service.ts';

it('a delivery is not repeated if the database is unavailable when its result is stored', async () => {
  const database = await postgresDatabase();
  const name = new URL(database).pathname.slice(1);
  const admin = new pg.Client({ connectionString: inject('postgres') });
  await admin.connect();
  onTestFinished(() => admin.end());
  const away = async (yes: boolean) => {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${yes ? 'false' : 'true'}`);
    if (yes)
      await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [
        name,
      ]);
  };
  const receiver = await startReceiver(async (response) => {
    await away(true);
    response.writeHead(204).end();
  });
  onTestFinished(() => receiver.close());
  const errors: unknown[] = [];
  const service = await startTestService({
    database,
    allowLoopbackWebhooks: true,
    log: (level, message) => void (level === 'error' && errors.push(message)),
  });
  const post = async (path: string, body: object) => {
    const answer = await service.fetch(path, { body });
    return (await answer.json()) as Record<string, string>;
  };
  const subscription = {
    url: receiver.url,
    events: ['campaign.clicked'],
    signingSecret: 'the secret of a test',
  };
  const { id } = await post('/v1/webhooks', subscription);
  const { decisionId } = await post('/v1/decisioning/decide', { hashId: 'h' });
  await post(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
  await receiver.waitFor(1);
  await vi.waitUntil(() => errors.length > 0, { timeout: 100_000 });
  await away(false);
  const listed = async () => {
    const answer = await service.fetch(`/v1/webhooks/${id}/deliveries`);
    if (!answer.ok) return undefined;
    return ((await answer.json()) as { deliveries: { status: string; attempts: unknown[] }[] }).deliveries;
  };
  await vi.waitUntil(async () => (await listed())?.[0]?.status === 'delivered', {
    timeout: 100_000,
    interval: 500,
  });
  expect((await listed())![0]!.attempts).toHaveLength(1);
  expect(receiver.received).toHaveLength(1);
}, 40_000);
