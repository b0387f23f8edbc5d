import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Redraw } from '../../../src/cli/terminal/redraw.ts';
import { ago, span } from '../../../src/cli/terminal/time.ts';

function terminal(columns: number) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns });
  return { stream, take: () => (stream.read() ?? '') as string };
}

it('moves up by the rows that its text occupies now, also after a resize', () => {
  const { stream, take } = terminal(80);
  const screen = new Redraw(stream);
  screen.draw(`${'x'.repeat(70)}\n\u001b[31m${'日'.repeat(30)}\u001b[39m`);
  expect(take()).not.toMatch(/\u001b\[\d+A/);
  screen.draw('same width');
  expect(take()).toMatch(/^\u001b\[2A\r/);
  screen.draw(`${'x'.repeat(70)}\n${'日'.repeat(30)}\n`);
  take();
  stream.columns = 40;
  // 70 columns wrap to two rows, 60 to two, and the empty last line is one.
  screen.draw('narrow');
  expect(take()).toMatch(/^\u001b\[5A\r/);
});

it('takes a terminal that says it has no columns for one of 80', () => {
  const { stream, take } = terminal(0);
  const screen = new Redraw(stream);
  screen.draw('x'.repeat(70));
  take();
  screen.clear();
  expect(take()).toBe('\u001b[1A\r\u001b[0J');
});

it('formats durations in whole units', () => {
  expect([0, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 172_800_000].map(span)).toEqual([
    '0 s',
    '0 s',
    '1 s',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '2 d',
  ]);
  expect([ago(1000, 1500), ago(1000, 5000), ago(5000, 1000)]).toEqual(['now', '4 s ago', 'now']);
});
