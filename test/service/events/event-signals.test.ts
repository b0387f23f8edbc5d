import { expect, test } from 'vitest';
import { EventSignals } from '../../../src/service/events/event-signals.ts';

const timestamp = '2026-03-01T12:00:00Z';

test('of events that alternate, the frequent ones are found; memory stays bounded whatever events and users arrive', () => {
  const signals = new EventSignals();
  let most = 0;
  const stored = new Map<string, number>();
  for (let batch = 0; batch < 300; batch++) {
    const events = Array.from({ length: 400 }, (_, i) => ({
      userId: `user ${batch} ${i}`,
      // Half of the events are of four names, the others of a name of their own.
      event: i % 2 ? `frequent ${(batch + (i >> 1)) % 4}` : `name ${batch} ${i}`,
      timestamp,
    }));
    signals.note('ws', { length: events.length, at: (i) => events[i]! });
    most = Math.max(most, signals.waiting);
    if (batch % 150 === 149)
      for (const { event } of signals.take(1e6)) stored.set(event, (stored.get(event) ?? 0) + 1);
  }
  expect(most).toBe(20_000);
  expect(signals.waiting).toBe(0);
  for (let i = 0; i < 4; i++) expect(stored.get(`frequent ${i}`)).toBeGreaterThan(2000);
});
