import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { LearnedModels } from '../../../src/service/decisions/learned-models.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import { startTestService } from '../../support/process/service.ts';

/** A clock whose long sleeps last until they are aborted. */
const endlessSleeps = () => {
  const sleeping = vi.fn();
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (ms < 10_000) return systemClock.sleep(ms, signal);
    sleeping(ms);
    return new Promise<void>((_, reject) =>
      signal?.addEventListener('abort', () => reject(new Error('aborted'))),
    );
  };
  return { clock: { ...systemClock, sleep }, sleeping };
};

it('stops at once while the publisher of models waits after a large one', async () => {
  const { clock, sleeping } = endlessSleeps();
  const log = vi.fn();
  const service = await startTestService({ clock, log });
  const { store } = service.platform;
  // What a model of 20 MB comes to: 40 s until the next one.
  const publish = vi.spyOn(LearnedModels.prototype, 'publish').mockResolvedValue(20_000_000);
  onTestFinished(() => publish.mockRestore());
  await store.write((tx) => due.mark(tx, service.workspace, 'learn'));
  await expect.poll(() => sleeping.mock.calls.flat()).toContain(40_200);
  await service.close();
  expect(log.mock.calls.filter(([level]) => level !== 'info' && level !== 'debug')).toEqual([]);
});

it('stops although a database does not answer a worker', async () => {
  const log = vi.fn();
  const service = await startTestService({ log });
  const read = vi.spyOn(service.platform.store, 'read').mockImplementation(() => new Promise(() => {}));
  onTestFinished(() => read.mockRestore());
  await expect.poll(() => read.mock.calls.length).toBeGreaterThan(0);
  await service.close(0);
  expect(log).toHaveBeenCalledWith('warn', expect.stringContaining('stops while work is not finished'));
});
