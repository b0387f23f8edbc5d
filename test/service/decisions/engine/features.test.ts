import { expect, test } from 'vitest';
import { featuresOf, KINDS } from '../../../../src/service/decisions/engine/features.ts';

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

test('many traits or fields leave room for what a user did', () => {
  const named = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i % 3]));
  const person = {
    traits: named('t', 500),
    events: [{ event: 'bought', count: 3, age: 1000 }],
    history: { clicked: 2, silent: 5 },
  };
  for (const context of [{ surface: 'home' }, named('f', 500)]) {
    const features = featuresOf(context, person);
    expect(features.length).toBeLessThanOrEqual(48);
    expect(features.length).toBeGreaterThan(40);
    const labels = features.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['when bought happened', 'earlier messages clicked']));
    for (const kind of KINDS) expect(features.some((each) => each.kind === kind)).toBe(true);
  }
});
