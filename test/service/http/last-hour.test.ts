import { expect, it } from 'vitest';
import { LastHour } from '../../../src/service/http/last-hour.ts';

const MINUTE_MS = 60_000;

it('counts by minute for an hour, and uses the place of a minute again', () => {
  let now = 100 * MINUTE_MS;
  const hour = new LastHour(() => now, { n: 0 });
  const counts = () => hour.read().map(({ n }) => n);
  hour.current().n++;
  hour.current().n++;
  now += 59 * MINUTE_MS;
  hour.current().n++;
  expect(counts()).toEqual([2, ...Array(58).fill(0), 1]);
  now += MINUTE_MS;
  expect(counts()).toEqual([...Array(58).fill(0), 1, 0]);
  hour.current().n++;
  expect(counts()).toEqual([...Array(58).fill(0), 1, 1]);
  now += 2 * 60 * MINUTE_MS;
  expect(counts()).toEqual(Array(60).fill(0));
});
