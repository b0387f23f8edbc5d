import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startTestService } from '../../../../support/process/service.ts';

/** Counts the times that a connection sends a statement while it waits for no other one. */
function countRoundTrips() {
  const pending = new WeakMap<object, number>();
  const counted = { roundTrips: 0, statements: 0 };
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: object, ...args) {
    const before = pending.get(this) ?? 0;
    counted.statements++;
    if (before === 0) counted.roundTrips++;
    pending.set(this, before + 1);
    const done = () => void pending.set(this, pending.get(this)! - 1);
    const [sent] = args as unknown as [{ callback?: (...results: unknown[]) => void }];
    if (sent.callback) {
      const { callback } = sent;
      sent.callback = (...results) => {
        done();
        callback(...results);
      };
      return query.apply(this, args);
    }
    const result = query.apply(this, args) as Promise<unknown>;
    result.then(done, done);
    return result;
  });
  onTestFinished(() => spy.mockRestore());
  return counted;
}

it('sends the statements of a decision that do not depend on each other in one round trip', async () => {
  const service = await startTestService();
  const post = async (path: string, body: object) =>
    JSON.parse(await (await service.fetch(path, { body })).text());
  const { users } = await post('/v1/users', { users: [{ userId: 'u' }] });
  const decide = () => post('/v1/decisioning/decide', { hashId: users[0].hashId });
  for (let i = 0; i < 3; i++) await decide();
  await vi.waitFor(async () => expect(await service.idle()).toBe(true), { timeout: 100_000 });
  // Workers wait, so that little more than the request is counted.
  const waiting: (() => void)[] = [];
  const piece = vi
    .spyOn(service.platform.precedence, 'yieldToRequests')
    .mockImplementation(() => new Promise((start) => waiting.push(start)));
  onTestFinished(() => {
    piece.mockRestore();
    for (const start of waiting) start();
  });
  const counted = countRoundTrips();
  // Workers that keep a connection alive or look for work may be counted as well, so not every decision shows it.
  await vi.waitFor(
    async () => {
      Object.assign(counted, { roundTrips: 0, statements: 0 });
      expect((await decide()).action.type).toBe('in-app-message');
      expect(counted.statements).toBeGreaterThan(11);
      // One for the key and the model, and a transaction with 3. One by one the statements take 14.
      expect(counted.roundTrips).toBeLessThanOrEqual(4);
    },
    { timeout: 100_000, interval: 10 },
  );
});
