import { expect, test } from 'vitest';
import { decide } from '../../../../src/service/decisions/engine/decide.ts';
import { logged } from '../../../../src/service/decisions/engine/log-entry.ts';
import { content, situation } from './situations.ts';

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
const name = (n: number) => `offer_${n}_${'é'.repeat(40)}`;
const contents = Array.from({ length: 500 }, (_, n) => content(name(n)));

test('the log entry of a decision among 500 contents stays under 2 kB, whatever removed them', () => {
  const byTrait = contents.map((one, n) => ({ ...one, traits: [{ trait: name(n), equals: 1 }] }));
  const halves = contents.map((one, n) => (n % 2 === 0 ? one : byTrait[n]!));
  const byChannel = contents.map((one) => ({ ...one, channels: ['push'] }));
  for (const given of [contents, byTrait, halves, byChannel]) {
    const { removed, candidates, others, ...rest } = logged(decide(situation({ contents: given })));
    expect(bytesOf({ removed, candidates, others, ...rest })).toBeLessThan(2_000);
    const counted = removed.reduce((sum, { count }) => sum + count, 0);
    expect(counted + candidates.length + (others?.count ?? 0)).toBe(500);
    for (const { count, contentIds } of removed) expect(contentIds.length).toBeLessThanOrEqual(count);
  }
});

test('a reason of control characters, which JSON escapes, is as short as others', () => {
  const trait = '\u0001'.repeat(200);
  const { reason } = logged(
    decide(situation({ contents: [content('a', { traits: [{ trait, exists: true }] })] })),
  );
  expect(reason).toMatch(/…$/);
  expect(bytesOf([reason])).toBeLessThan(410);
});

test('what a rule removed is counted, and the first of it named', () => {
  const channels = ['push'];
  const given = [content('a', { channels }), content('b', { channels }), content('c')];
  expect(logged(decide(situation({ contents: given }))).removed).toEqual([
    { rule: 'channel', count: 2, contentIds: ['a', 'b'] },
  ]);
});
