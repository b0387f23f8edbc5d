import { expect, test } from 'vitest';
import {
  type Feature,
  featuresOf,
  MAX_FEATURES_PER_DECISION,
  packFeatures,
  unpackFeatures,
} from '../../../../src/service/decisions/engine/features.ts';

const PERSONAL = {
  email: 'ada@example.org',
  contact: 'ada@example.org',
  displayName: 'Ada',
  customer_name: 'Ada',
  phone: '0123',
  phonenumber: 'x',
  mobile: '+44 7700 900123',
  reach: '07700.900123',
  accountNumber: 'A-1',
  acctNo: 'A-1',
  acct: 'ACCT-778899001',
  bank: 'GB29NWBK60161331926819',
};

test('names, phones, e-mails and account numbers are no features, whether traits or context', () => {
  const place = { channel: 'in-app', surface: 'home' };
  const without = featuresOf(place, { traits: { plan: 'gold' } });
  expect(featuresOf({ ...place, ...PERSONAL }, { traits: { plan: 'gold' } })).toEqual(without);
  expect(featuresOf(place, { traits: { plan: 'gold', ...PERSONAL } })).toEqual(without);
});

test('other traits and fields of the context are features', () => {
  const labels = (name: string, value: string | number) =>
    [featuresOf({ [name]: value }), featuresOf({}, { traits: { [name]: value } })].map(
      (features) => features.length,
    );
  for (const [name, value] of [
    ['plan_name', 'gold'],
    ['since', '2026-03'],
    ['balance', 12_345_678],
    ['device', 'iPhone 15,3'],
  ] as const)
    expect(labels(name, value), name).toEqual([2, 2]);
});

test('many traits or fields leave room for what a user did, and those that are known stay', () => {
  const named = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i % 3]));
  const person = {
    traits: named('t', 5000),
    events: [{ event: 'bought', count: 3, age: 1000 }],
    history: { clicked: 2, silent: 5 },
  };
  const keyOf = (name: string) => featuresOf({}, { traits: { [name]: 1 } })[1]!.key;
  const known = new Set(['t7', 't4999', 't2500'].map(keyOf));
  for (const context of [{ surface: 'home' }, named('f', 500)]) {
    const features = featuresOf(context, person, (key) => known.has(key));
    expect(features).toHaveLength(MAX_FEATURES_PER_DECISION - Number('surface' in context));
    const labels = features.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['the last bought', 'earlier messages clicked']));
    expect(labels).toEqual(expect.arrayContaining(['trait t7', 'trait t2500', 'trait t4999']));
    expect(new Set(features.map(({ kind }) => kind)).size).toBe('surface' in context ? 4 : 5);
  }
});

test('numbers keep five digits and are finite, whatever they are', () => {
  const numberOf = (value: number) => featuresOf({}, { traits: { n: value } })[1]!.number;
  expect([447_700_900_123, -122.236, 0.1 + 0.2].map(numberOf)).toEqual([447_700_000_000, -122.24, 0.3]);
  for (const edge of [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 5e-324, 1e308])
    expect(Number.isFinite(numberOf(edge)! ** 2), `${edge}`).toBe(true);
});

test('features are read from the log as they were stored', () => {
  const features = featuresOf(
    { surface: 'home', locale: 'en', items: 3 },
    {
      traits: { plan: 'gold', age: 41.3 },
      events: [{ event: 'bought', count: 3, age: 1 }],
      history: { silent: 2 },
    },
  );
  const plain = (all: readonly Feature[]) =>
    all
      .map(({ key, number, kind }) => ({ key, number, kind }))
      .sort((a, b) => a.kind - b.kind || a.key - b.key);
  expect(plain(unpackFeatures(JSON.parse(JSON.stringify(packFeatures(features)))))).toEqual(plain(features));
});
