import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { PaceView } from '../../../../src/cli/terminal/pace.ts';
import { newCounters } from '../../../../src/features/import/record/counters.ts';
import {
  barLine,
  type Facts,
  ProgressView,
  plainLine,
} from '../../../../src/features/import/report/progress.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const FACTS: Facts = {
  noun: 'events',
  fraction: 0.45,
  records: 450_000,
  rejected: 12,
  rate: 31_250,
  quota: 0.82,
  paced: undefined,
  left: 75,
};

test('a bar fits the terminal and omits the least important parts first', () => {
  expect(barLine(FACTS, 79, false)).toBe(
    '█████░░░░░░░  45%  450,000 events  31,250/s  12 rejected  quota 82%  1m15s left',
  );
  expect(barLine(FACTS, 70, false)).toBe('45%  450,000 events  31,250/s  12 rejected  quota 82%  1m15s left');
  expect(barLine(FACTS, 60, false)).toBe('45%  450,000 events  31,250/s  12 rejected  1m15s left');
  expect(barLine(FACTS, 39, false)).toBe('45%  450,000  31,250/s  1m15s left');
  expect(barLine(FACTS, 20, false)).toBe('45%  450,000');
  for (let width = 1; width < 120; width++)
    expect(stringWidth(barLine(FACTS, width, true))).toBeLessThanOrEqual(width);
});

test('shows no total for a pipe', () => {
  expect(barLine({ ...FACTS, fraction: undefined, left: undefined, quota: undefined }, 79, false)).toBe(
    '450,000 events  31,250/s  12 rejected',
  );
});

test('prints a sentence without a terminal', () => {
  expect(plainLine(FACTS)).toBe(
    '45%, 450,000 events, 31,250/s, 12 rejected, 82% of the quota in use, 1m15s left',
  );
});

function view(
  columns: number | undefined,
  quiet = false,
  pace: () => PaceView | undefined = () => undefined,
) {
  const stream = Object.assign(new PassThrough(), { isTTY: columns !== undefined, columns });
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  const clock = new VirtualClock();
  const shown = new ProgressView({
    stream,
    clock,
    quiet,
    color: false,
    noun: 'events',
    pace,
  });
  return { shown, clock, text: () => text };
}

test('counts acknowledged records, not those read ahead, and estimates the time left under a limit', async () => {
  const { shown, clock, text } = view(undefined);
  const counters = { ...newCounters(), read: 5000, accepted: 1000 };
  shown.update({ counters, taken: 40, size: 40, requestsLeft: Number.POSITIVE_INFINITY });
  await clock.advance(10_000);
  shown.update({
    counters: { ...counters, accepted: 2000 },
    taken: 40,
    size: 40,
    requestsLeft: Number.POSITIVE_INFINITY,
  });
  await clock.advance(30_000);
  expect(text().split('\n')).toEqual([
    '20%, 1,000 events, 100/s, 40s left',
    '40%, 2,000 events, 100/s, 30s left',
    '40%, 2,000 events, 0/s, 45s left',
    '40%, 2,000 events, 0/s, 1m00s left',
    '',
  ]);
  shown.end();
});

test('without a terminal: one line every 10 s, none before that and none with --quiet', async () => {
  const { shown, clock, text } = view(undefined);
  shown.update({
    counters: { ...newCounters(), accepted: 5000 },
    taken: 10,
    size: 40,
    requestsLeft: Number.POSITIVE_INFINITY,
  });
  await clock.advance(9000);
  expect(text()).toBe('');
  await clock.advance(1000);
  expect(text()).toBe('25%, 5,000 events, 500/s, 30s left\n');
  await clock.advance(10_000);
  expect(text().split('\n')).toHaveLength(3);
  shown.end();
  await clock.advance(60_000);
  expect(text().split('\n')).toHaveLength(3);

  const silent = view(undefined, true);
  silent.shown.update({ counters: newCounters(), taken: 0, size: 1, requestsLeft: Number.POSITIVE_INFINITY });
  await silent.clock.advance(60_000);
  expect(silent.text()).toBe('');
});

test('on a terminal: redraws the bar in place, and clears it for other lines and at the end', async () => {
  const { shown, clock, text } = view(40);
  shown.update({
    counters: { ...newCounters(), accepted: 500 },
    taken: 10,
    size: 40,
    requestsLeft: Number.POSITIVE_INFINITY,
  });
  await clock.advance(200);
  expect(text()).toMatch(/^\r\u001b\[2K[^\n]*25% {2}500 {2}[^\n]*$/);
  const before = text().length;
  shown.clear();
  expect(text().slice(before)).toBe('\r\u001b[2K');
  shown.clear();
  expect(text().slice(before)).toBe('\r\u001b[2K');
  await clock.advance(200);
  shown.end();
  expect(text().endsWith('\r\u001b[2K')).toBe(true);
});

test('shows the pace and its cause only while it waits for the limit', async () => {
  const pace = { limit: 600, windowMs: 60_000, share: 1, own: 300, others: 150, throttledMs: 0 };
  const { shown, clock, text } = view(undefined, false, () => pace);
  shown.update({ counters: newCounters(), taken: 10, size: 40, requestsLeft: Number.POSITIVE_INFINITY });
  const lines: string[] = [];
  for (const throttledMs of [400, 9_500, 9_500, 9_500]) {
    pace.throttledMs = throttledMs;
    await clock.advance(10_000);
    lines.push(text().trim().split('\n').at(-1)!);
  }
  expect(lines.map((line) => /, (paced[^,]*)/.exec(line)?.[1])).toEqual([
    undefined,
    "paced to 600 requests a minute by the service's limit",
    undefined,
    undefined,
  ]);
  const paced = { ...pace, share: 0.5, windowMs: 10_000 };
  expect(plainLine({ ...FACTS, paced })).toContain(
    "paced to 300 requests in 10 s by 50% of the service's limit",
  );
  expect(barLine({ ...FACTS, paced: pace }, 120, false)).toContain('quota 82%  paced to 600/min');
  expect(barLine({ ...FACTS, paced: pace }, 77, false)).toContain('12 rejected  paced to 600/min');
});

test('the time left decreases evenly under a limit, even if batches complete in bursts', async () => {
  const pace = { limit: 40, windowMs: 60_000, share: 0.5, own: 20, others: 0, throttledMs: 0 };
  const { shown, clock, text } = view(undefined, false, () => pace);
  const counters = { ...newCounters(), read: 60_000 };
  // A request each 3 s, but batches end some at a time.
  for (const ended of [8, 8, 12, 12, 20]) {
    shown.update({
      counters: { ...counters, accepted: ended * 1000 },
      taken: 60,
      size: 60,
      requestsLeft: 60 - ended,
    });
    pace.throttledMs += 9_000;
    await clock.advance(10_000);
  }
  shown.end();
  const lefts = [...text().matchAll(/, (\S+) left$/gm)].map(([, left]) => left);
  expect(lefts).toEqual(['2m36s', '2m36s', '2m24s', '2m24s', '2m00s']);
});
