import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { barLine, type Facts, ProgressView, plainLine } from '../../../src/cli/import/progress.ts';
import { emptyTally } from '../../../src/import/tally.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const FACTS: Facts = {
  noun: 'events',
  fraction: 0.45,
  records: 450_000,
  rejected: 12,
  rate: 31_250,
  quota: 0.82,
  left: 75,
};

test('a bar fits the terminal, and gives up the least important first', () => {
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

test('a pipe has no end to show', () => {
  expect(barLine({ ...FACTS, fraction: undefined, left: undefined, quota: undefined }, 79, false)).toBe(
    '450,000 events  31,250/s  12 rejected',
  );
});

test('without a terminal a line says it all in words', () => {
  expect(plainLine(FACTS)).toBe(
    '45%, 450,000 events, 31,250/s, 12 rejected, 82% of the quota in use, 1m15s left',
  );
});

function view(columns: number | undefined, quiet = false) {
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
    quota: () => undefined,
  });
  return { shown, clock, text: () => text };
}

test('in a pipe: one line each 10 s, none before and none with --quiet', async () => {
  const { shown, clock, text } = view(undefined);
  shown.update({ tally: { ...emptyTally(), accepted: 5000 }, taken: 10, size: 40 });
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
  silent.shown.update({ tally: emptyTally(), taken: 0, size: 1 });
  await silent.clock.advance(60_000);
  expect(silent.text()).toBe('');
});

test('on a terminal the bar is drawn over itself and cleared for other lines and at the end', async () => {
  const { shown, clock, text } = view(40);
  shown.update({ tally: { ...emptyTally(), accepted: 500 }, taken: 10, size: 40 });
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
