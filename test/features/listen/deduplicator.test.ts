import { describe, expect, it } from 'vitest';
import { Deduplicator } from '../../../src/features/listen/deduplicator.ts';

const identity = (n: number | string) => ({
  webhookId: `msg_${n}`,
  deliveryId: undefined,
  signature: `sig_${n}`,
});

describe('Deduplicator', () => {
  it('evicts the oldest identifiers beyond its capacity', () => {
    const seen = new Deduplicator(6); // three deliveries of two identities each
    for (const n of [1, 2, 3]) expect(seen.check(identity(n))).toBe(false);
    expect(seen.check(identity(1))).toBe(true); // and is the newest again
    expect(seen.check(identity(4))).toBe(false); // pushes 2 out
    expect(seen.check(identity(2))).toBe(false);
    expect(seen.check(identity(4))).toBe(true);
  });

  it('distinguishes long identifiers without storing them', () => {
    const seen = new Deduplicator();
    const long = 'x'.repeat(10_000);
    expect(seen.check(identity(`${long}1`))).toBe(false);
    expect(seen.check(identity(`${long}2`))).toBe(false);
    expect(seen.check(identity(`${long}1`))).toBe(true);
  });
});
