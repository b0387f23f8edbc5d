import { expect, it } from 'vitest';
import type { Log } from '../../../src/service/platform/log.ts';
import { withoutRepeats } from '../../../src/service/telemetry/log-repeats.ts';

it('writes a repeated error once in ten seconds, with the number of omitted ones', () => {
  const written: [string, string, unknown][] = [];
  const write: Log = (level, message, fields) => void written.push([level, message, fields]);
  let now = 0;
  const log = withoutRepeats(write, () => now);
  for (let i = 0; i < 1000; i++) {
    log('error', 'the store is unavailable', { requestId: `r${i}`, reason: 'refused' });
    log('error', 'the store is unavailable', { requestId: `r${i}`, reason: 'reset' });
    now += 15;
  }
  const ofRefused = written.filter(([, , fields]) => (fields as { reason: string }).reason === 'refused');
  expect(ofRefused.map(([, , fields]) => fields)).toEqual([
    { requestId: 'r0', reason: 'refused' },
    { requestId: 'r667', reason: 'refused', repeated: 666 },
  ]);
  expect(written).toHaveLength(4);
});

it('writes every line below the error level, and continues after the clock was set back', () => {
  const written: string[] = [];
  let now = 100_000;
  const log = withoutRepeats(
    (_level, message) => void written.push(message),
    () => now,
  );
  log('info', 'a');
  log('info', 'a');
  log('error', 'b', { reason: 'r' });
  now = 0;
  log('error', 'b', { reason: 'r' });
  expect(written).toEqual(['a', 'a', 'b', 'b']);
});
