import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { startClockMover } from '../../../src/service/clock/mover.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import { testClock } from '../../../src/service/platform/store/test-clock.ts';
import { startTestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';

const HOUR = 3_600_000;

describe('a clock that moves', () => {
  it('ends while more work comes in all the time, and holds that back', async () => {
    const service = await startTestService({ testClock: true });
    const { store } = service.platform;
    const mover = startClockMover(service.platform, [], { stop: 100, target: 100, move: 300 });
    onTestFinished(() => mover.stop());
    const ended = new AbortController();
    // New work for a worker, several times between two looks of the clock.
    const traffic = [1, 2, 3, 4].map(async () => {
      while (!ended.signal.aborted) {
        await store.write((tx) => due.mark(tx, service.workspace, 'index'), { durable: false });
        await systemClock.sleep(1);
      }
    });
    onTestFinished(() => ended.abort());
    await advance(service, 3 * HOUR).finally(() => ended.abort());
    await Promise.all(traffic);
    expect((await clockOf(service)).offsetMs).toBeGreaterThanOrEqual(3 * HOUR - 60_000);
  });

  it('holds back what is due later than the stop until the move ends', async () => {
    const service = await startTestService({ testClock: true });
    const { store } = service.platform;
    await expect.poll(() => service.idle()).toBe(true);
    const isDue = () => store.read((tx) => due.any(tx, store.workers, 'fan-out'));
    await store.write(async (tx) => {
      await testClock.hold(tx, tx.now - 1000);
      await due.mark(tx, service.workspace, 'fan-out', tx.now - 500);
    });
    expect(await isDue()).toBe(false);
    await store.write(async (tx) => {
      await testClock.hold(tx, tx.now);
      await tx.notify('settings');
    });
    // The worker of the lane does it once it is no longer held back.
    await expect.poll(isDue).toBe(false);
    await store.write((tx) => testClock.setTarget(tx, null));
    expect(await store.read((tx) => testClock.get(tx))).toMatchObject({ target: null, hold: null });
  });
});
