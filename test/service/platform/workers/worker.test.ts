import { describe, expect, it } from 'vitest';
import { repeat } from '../../../../src/service/platform/workers/worker.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** A round that reports each start and is finished by the test. */
function scripted(results: (boolean | Error)[]) {
  let rounds = 0;
  const round = async () => {
    const result = results[rounds] ?? false;
    rounds += 1;
    if (result instanceof Error) throw result;
    return result;
  };
  return { round, rounds: () => rounds };
}

describe('a worker', () => {
  it('continues at once while it has work, then pauses until it is woken', async () => {
    const clock = new VirtualClock();
    const { round, rounds } = scripted([true, true, false]);
    const worker = repeat('w', clock, () => {}, 1000, round);
    await clock.advance(0);
    expect(rounds()).toBe(3);
    expect(await worker.idle()).toBe(true);
    await clock.advance(999);
    expect(rounds()).toBe(3);
    await clock.advance(1);
    expect(rounds()).toBe(4);
    worker.wake();
    expect(await worker.idle()).toBe(false);
    await clock.advance(0);
    expect(rounds()).toBe(5);
    await worker.stop();
    await clock.advance(10_000);
    expect(rounds()).toBe(5);
  });

  it('runs another round if woken during one', async () => {
    const clock = new VirtualClock();
    let rounds = 0;
    const worker = repeat(
      'w',
      clock,
      () => {},
      1000,
      async () => {
        rounds += 1;
        await null;
        if (rounds === 1) worker.wake();
        return false;
      },
    );
    await clock.advance(0);
    expect(rounds).toBe(2);
    await worker.stop();
  });

  it('logs a round that throws, and continues', async () => {
    const clock = new VirtualClock();
    const logged: unknown[] = [];
    const { round, rounds } = scripted([new Error('full disk')]);
    const worker = repeat('the tester', clock, (...line) => logged.push(line), 1000, round);
    await clock.advance(1000);
    expect(rounds()).toBe(2);
    expect(logged).toEqual([['error', 'the tester failed', { reason: 'full disk' }]]);
    await worker.stop();
  });

  it('repeats a round that threw soon, also one with a long pause', async () => {
    const clock = new VirtualClock();
    const { round, rounds } = scripted([new Error('the database is busy')]);
    const worker = repeat('w', clock, () => {}, 60_000, round);
    await clock.advance(5_000);
    expect(rounds()).toBe(2);
    await clock.advance(59_999);
    expect(rounds()).toBe(2);
    await worker.stop();
  });

  it('finishes the current round on stop', async () => {
    let end = () => {};
    let ended = false;
    const worker = repeat(
      'w',
      new VirtualClock(),
      () => {},
      1000,
      async () => {
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        ended = true;
        return true;
      },
    );
    const stopped = worker.stop();
    end();
    await stopped;
    expect(ended).toBe(true);
  });

  it('uses a new signal for each pause, because a long-lived one would leak memory', async () => {
    const signals: AbortSignal[] = [];
    let enough = () => {};
    const rested = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const clock = {
      now: () => 0,
      sleep: async (_ms: number, signal?: AbortSignal) => {
        signals.push(signal!);
        if (signals.length === 50) enough();
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
    const worker = repeat(
      'w',
      clock,
      () => {},
      1000,
      async () => false,
    );
    await rested;
    await worker.stop();
    expect(new Set(signals).size).toBe(signals.length);
  });
});
