import { expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { Precedence } from '../../../src/service/platform/precedence.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { startPartitionMaintainer } from '../../../src/service/retention/partition-maintainer.ts';
import { createLog } from '../../../src/service/telemetry/log.ts';

test('names the log whose partitions cannot be changed now', async () => {
  const lines: string[] = [];
  const partitions = { keep: async (name: string) => (name === 'events' ? 'event is in use' : undefined) };
  const maintainer = startPartitionMaintainer(
    {
      store: { leads: async () => true, partitions } as unknown as Store,
      clock: systemClock,
      log: createLog((line) => lines.push(line), systemClock.now),
      precedence: new Precedence(),
    },
    () => ({ events: 1, decisions: 1, notifications: 1, eventIds: null, outcomes: null }),
  );
  await vi.waitUntil(() => lines.length > 0, { timeout: 100_000 });
  await maintainer.stop();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', log: 'events', reason: 'event is in use' });
});
