import { expect, test } from 'vitest';
import { type PaceView, throttledText } from '../../../src/cli/terminal/pace.ts';

const PACE: PaceView = { limit: 1600, windowMs: 60_000, share: 1, own: 300, others: 0, throttledMs: 12_340 };
const RUN = { elapsedMs: 14_000, batchSize: 1000, isLocal: false, limitsCommand: 'svc limits -p eu' };

test('does not report a short wait', () => {
  expect(throttledText({ ...PACE, throttledMs: 999 }, RUN)).toBeUndefined();
});

test('reports the cause and duration of a long wait, and who can raise the limit', () => {
  expect(throttledText(PACE, RUN)).toEqual({
    held: 'held back by the limit of 1,600 requests a minute for 12.3 s of 14.0 s',
    faster: ['ask the operator of the service for a higher limit (svc limits -p eu shows it)'],
  });
});

test('suggests flags first, and only if they help', () => {
  const all = throttledText({ ...PACE, share: 0.5, others: 200 }, { ...RUN, batchSize: 10, isLocal: true });
  expect(all).toEqual({
    held: 'held back by the limit of 800 requests a minute for 12.3 s of 14.0 s',
    faster: [
      '--batch-size 1000 needs fewer requests',
      'a larger --share uses more of the limit of 1,600',
      'others in this workspace hold 200 of it now (svc limits -p eu)',
      'svc serve --limit ingest=N sets another limit',
    ],
  });
});
