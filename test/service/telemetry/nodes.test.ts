import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import type { Tx } from '../../../src/service/platform/store/store.ts';
import { nodes } from '../../../src/service/telemetry/nodes.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

const listed = async (service: TestService) => (await service.status()).nodes!;

/** Records a node as at another time than now, which only the tests do. */
const recordAt = ({ platform }: TestService, ago: number, ids: readonly string[]) =>
  platform.store.write(async (tx) => {
    const then: Tx = { ...tx, now: tx.now - ago };
    for (const id of ids) await nodes.seen(then, { id, host: 'h', pid: 1, version: null, roles: [] }, 5000);
  });

test('lists every process on the store until it stops, the answering one first', async () => {
  const first = await startTestService({ version: '1.2.3' });
  const second = await startTestService({ database: first.database, version: '1.2.4' });
  await expect.poll(() => listed(first)).toHaveLength(2);
  const [self, other] = await listed(first);
  const common = { host: hostname(), pid: process.pid, silent: false };
  expect(self).toMatchObject({ ...common, self: true, version: '1.2.3' });
  expect(other).toMatchObject({ ...common, self: false, version: '1.2.4' });
  expect(other!.startedAt).toBeLessThanOrEqual(other!.seenAt);
  await expect
    .poll(async () => (await listed(second)).map(({ version }) => version))
    .toEqual(['1.2.4', '1.2.3']);
  await second.close(0);
  expect(await listed(first)).toHaveLength(1);
});

test('a service of a short command writes nothing, and shows itself', async () => {
  const service = await startTestService({ onThisMachine: true });
  expect(await service.platform.store.read((tx) => nodes.list(tx))).toEqual([]);
  expect(await listed(service)).toMatchObject([{ pid: process.pid, self: true, version: null }]);
});

test('a node that is not seen is silent after a minute and removed after ten, and the list is bounded', async () => {
  const service = await startTestService();
  await recordAt(service, 570_000, ['late']);
  await recordAt(service, 61_000, ['silent']);
  await recordAt(service, 30_000, ['there']);
  const others = async () => (await listed(service)).filter(({ self }) => !self);
  expect((await others()).map(({ id, silent }) => [id, silent])).toEqual([
    ['late', true],
    ['silent', true],
    ['there', false],
  ]);
  // A node that is seen removes those that are gone.
  await recordAt(service, -40_000, ['next']);
  expect((await others()).map(({ id }) => id)).toEqual(['next', 'silent', 'there']);
  await recordAt(
    service,
    20_000,
    Array.from({ length: 250 }, (_, i) => `n${i}`),
  );
  const kept = await service.platform.store.read((tx) =>
    tx.sql.get<{ n: number }>('SELECT count(*) AS n FROM node'),
  );
  expect(Number(kept!.n)).toBe(200);
});

if (process.env.SVC_TEST_ENGINE === 'postgres')
  test('one of two nodes leads each role, and the list says which', async () => {
    const first = await startTestService();
    const second = await startTestService({ database: first.database });
    const lead = [first, second].map(({ platform }) => platform.store);
    const all = [
      'event deletions',
      'event ids',
      'event indexer',
      'goals',
      'janitor',
      'learner',
      'partition maintainer',
      'reward log writer',
    ];
    await expect.poll(() => lead.flatMap((store) => store.roles()).sort()).toEqual(all);
    expect((await listed(first))[0]!.roles).toEqual(lead[0]!.roles());
  });
