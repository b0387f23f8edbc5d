import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTIFICATION_STATES } from '../../../../src/contract/schemas.ts';
import {
  afterLostWorker,
  DISPATCH_GAPS_MS,
  LONGEST_THROTTLE_MS,
  nextAfterThrottle,
  nextRetry,
} from '../../../../src/service/notifications/rules/dispatch.ts';
import {
  isEnd,
  NOTIFICATION_EVENTS,
  type NotificationEvent,
  type NotificationState,
  step,
} from '../../../../src/service/notifications/rules/state.ts';

const waiting: readonly NotificationState[] = ['queued', 'held'];
const state = fc.constantFrom(...NOTIFICATION_STATES);
const event = fc.constantFrom(...NOTIFICATION_EVENTS);

function walk(events: readonly NotificationEvent[]): NotificationState[] {
  const history: NotificationState[] = ['queued'];
  for (const each of events) {
    const move = step(history.at(-1)!, each);
    if (move.outcome === 'moved') history.push(move.state);
  }
  return history;
}

describe('the states of a notification', () => {
  it('defines a transition for every state and event', () => {
    for (const from of NOTIFICATION_STATES)
      for (const each of NOTIFICATION_EVENTS) {
        const move = step(from, each);
        expect(NOTIFICATION_STATES).toContain(move.state);
        expect(move.outcome === 'moved').toBe(move.state !== from);
      }
  });

  it('is delivered through dispatched, and leaves no end state; only what waits or is dispatched is held', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const history = walk(events);
        for (const [i, each] of history.entries())
          if (i > 0) {
            const before = history[i - 1]!;
            expect(isEnd(before)).toBe(false);
            expect(each).not.toBe('queued');
            if (each === 'dispatched') expect(waiting).toContain(before);
            if (each === 'delivered') expect(before).toBe('dispatched');
          }
      }),
    );
  });

  it('accepts a repeated event without effect', () => {
    fc.assert(
      fc.property(state, event, (from, each) => {
        const once = step(from, each).state;
        expect(step(once, each).state).toBe(once);
      }),
    );
  });

  it('passes through no state twice unless it is held', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const history = walk(events.filter((each) => each !== 'hold'));
        expect(new Set(history).size).toBe(history.length);
      }),
    );
  });

  it('can reach each end state', () => {
    expect(walk(['dispatch', 'retry', 'dispatch', 'deliver']).at(-1)).toBe('delivered');
    expect(walk(['dispatch', 'fail', 'deliver']).at(-1)).toBe('failed');
    expect(walk(['fail', 'dispatch', 'deliver'])).toEqual(['queued', 'failed']);
    expect(walk(['hold', 'cancel', 'dispatch'])).toEqual(['queued', 'held', 'cancelled']);
    expect(walk(['dispatch', 'retry', 'cancel', 'deliver']).at(-1)).toBe('cancelled');
    expect(NOTIFICATION_STATES.filter(isEnd)).toEqual(['delivered', 'failed', 'cancelled']);
  });
});

describe('sending through a channel', () => {
  it('is retried after growing delays, and then fails', () => {
    const waits = DISPATCH_GAPS_MS.map((_, i) => nextRetry(i + 1, 1000, 0)! - 1000);
    expect(waits).toEqual(DISPATCH_GAPS_MS);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(nextRetry(1, 1000, 0.999)).toBeGreaterThan(nextRetry(1, 1000, 0)!);
    expect(nextRetry(DISPATCH_GAPS_MS.length + 1, 1000, 0)).toBeNull();
  });

  it('never comes before Retry-After, and counts no attempt that was one too many for the provider', () => {
    expect(nextRetry(1, 1000, 0, 7000)).toBe(8000);
    expect(nextRetry(3, 1000, 0, 7000)).toBe(31_000);
    expect(nextAfterThrottle(0, 1000, 0, 7000)).toBe(8000);
    expect(nextAfterThrottle(0, 1000, 0)).toBe(2000);
    expect(nextAfterThrottle(0, 1000, 0.5, 7000)).toBeGreaterThan(8000);
    expect(nextAfterThrottle(0, LONGEST_THROTTLE_MS, 0, 1)).toBeNull();
  });

  it('does not repeat a notification after a worker crash unless the channel drops repeats', () => {
    expect(afterLostWorker(true)).toBe('repeat');
    expect(afterLostWorker(false)).toBe('give-up');
  });
});
