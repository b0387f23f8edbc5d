import { expect, test } from 'vitest';
import { headerIsData } from '../../../../src/features/import/formats/csv/header.ts';
import type { Profile } from '../../../../src/features/import/guess/profile.ts';
import { candidatesFor, likeliest } from '../../../../src/features/import/guess/roles.ts';
import { timesIn } from '../../../../src/features/import/guess/times.ts';
import { isIdentifierName, typeOfColumn } from '../../../../src/features/import/mapping/column-types.ts';

/** Columns of a table of 40 rows; a function makes the value of each row. */
function rolesOf(columns: Record<string, (row: number) => string>) {
  const profiles = Object.entries(columns).map(([name, value]): Profile => {
    const values = Array.from({ length: 40 }, (_, row) => value(row)).filter((text) => text !== '');
    const distinct = new Set(values).size;
    const type = values.length === 0 ? 'empty' : typeOfColumn(name, values);
    const empty = 40 - values.length;
    return {
      name,
      type,
      total: 40,
      empty,
      distinct,
      values,
      min: null,
      max: null,
      nulls: 0,
      nested: 0,
      depth: 1,
    };
  });
  const { userId, event, timestamp } = candidatesFor(profiles);
  return [userId, event, timestamp].map((candidates) => likeliest(candidates)?.profile.name);
}

const time = (row: number) => `2026-01-${String(1 + (row % 28)).padStart(2, '0')} 12:00:00`;
const uuid = (row: number) => `f4d527be-fe98-11e8-a527-0205484b2e${String(row + 10)}`;
const some =
  (...values: string[]) =>
  (row: number) =>
    values[row % values.length]!;

test('a column named as the event is it also with many names, beside one that is always the same', () => {
  expect(
    rolesOf({
      eventName: (row) => `Call${row % 21}`,
      eventType: () => 'AwsApiCall',
      userName: some('ann', 'bob'),
      eventTime: time,
    }),
  ).toEqual(['userName', 'eventName', 'eventTime']);
});

test('a first row is data also where its cells are made unique as names', () => {
  expect(
    headerIsData(
      ['04/04/2026', '04/04/2026_1', 'fee', 'n/a'],
      [
        ['09/03/2026', '10/03/2026', 'interest', 'n/a'],
        ['08/03/2026', '09/03/2026', 'deposit', '3.8'],
      ],
      'events',
    ),
  ).toBe(true);
});

test.each([
  [
    'an ID that differs in every row names the event, not the user',
    { id: uuid, event_id: uuid, customer: some('a', 'b', 'c'), action: some('view', 'buy'), ts: time },
    ['customer', 'action', 'ts'],
  ],
  [
    'features and flags of users are not users, and an ID of an event is not its name',
    {
      event_id: uuid,
      user_feature_0: some('x', 'y'),
      is_user: some('true', 'false'),
      user_age: some('31'),
      time,
    },
    [undefined, undefined, 'time'],
  ],
  [
    'an empty column has no role, whatever its name',
    { event: some(''), event_type: some('view', 'buy'), user_id: some('u1', 'u2'), created_at: time },
    ['user_id', 'event_type', 'created_at'],
  ],
  [
    'two users that are equally likely are left to the user',
    {
      sender: some('a', 'b'),
      customer: some('x', 'y'),
      client: some('p', 'q'),
      type: some('view', 'buy'),
      at: time,
    },
    [undefined, 'type', 'at'],
  ],
  [
    'the time of the event, not of its processing or of the user',
    {
      processed_time: time,
      user_creation_time: time,
      event_time: time,
      _synced: time,
      user_id: some('a', 'b'),
      event: some('e'),
    },
    ['user_id', 'event', 'event_time'],
  ],
  [
    'numbers that could be epochs are not times unless the name says so',
    {
      order_number: (row: number) => String(1_700_000_000 + row),
      user: some('a', 'b'),
      verb: some('x', 'y'),
    },
    ['user', 'verb', undefined],
  ],
  [
    'an ID that comes again and again is the user where nothing else is',
    { id: some('1', '2', '3'), status: some('on', 'off'), date: time },
    ['id', undefined, 'date'],
  ],
])('%s', (_, columns, expected) => {
  expect(rolesOf(columns)).toEqual(expected);
});

test.each([
  ['price', ['33.20', '35.79'], 'number'],
  ['amount', ['1', '', '2e3', '-0.5'], 'number'],
  ['active', ['true', 'false', ''], 'boolean'],
  ['code', ['01234', '2'], 'string'],
  ['zip', ['12345', '54321'], 'string'],
  ['userId', ['1', '2'], 'string'],
  ['phone number', ['4915112345', '4915154321'], 'string'],
  ['big', ['9007199254740993', '1'], 'string'],
  ['huge', ['1e999'], 'string'],
  ['mixed', ['1', 'x'], 'string'],
  ['mixed', ['true', '1'], 'string'],
  ['padded', [' 5', '6'], 'number'],
  ['plus', ['+5'], 'string'],
  ['empty', ['', ''], 'string'],
] as const)('a column %s of %j has one type: %s', (name, cells, type) => {
  expect(typeOfColumn(name, cells)).toBe(type);
});

test('names of identifiers and of quantities', () => {
  const yes = ['id', 'user_id', 'vendorId', 'Postal Code', 'ZIP', 'account_number', 'orderid', 'SKU'];
  const no = ['rating', 'price', 'status_code', 'number_of_items', 'width', 'grid', 'paid', 'valid'];
  expect(yes.filter((name) => !isIdentifierName(name))).toEqual([]);
  expect(no.filter(isIdentifierName)).toEqual([]);
});

test.each([
  [['u1', 'view', '2026-01-31 12:00'], [['u2', 'buy', '2026-01-31 12:05']], true],
  [
    ['alice', 'view'],
    [
      ['bob', 'view'],
      ['alice', 'buy'],
    ],
    true,
  ],
  [['9.99', 'x'], [['8.50', 'y']], true],
  [['who', 'what', 'when'], [['u2', 'buy', '2026-01-31 12:05']], false],
  [['userId', 'view', '2026-01-31'], [['u2', 'view', '2026-01-31']], false],
  [
    ['country', '2019', '2020'],
    [
      ['FR', '3', '4'],
      ['DE', '5', '6'],
    ],
    false,
  ],
  [
    ['a', '2020-01-22'],
    [
      ['x', '17'],
      ['y', '18'],
    ],
    false,
  ],
  [['a', 'b'], [], false],
] as const)('the first row %j above %j is data: %s', (header, rows, expected) => {
  expect(headerIsData(header, rows, 'events')).toBe(expected);
});

test('a date is ambiguous only as long as the data leave it open', () => {
  const formats = (...values: string[]) => timesIn({ values, type: 'string' }).map(({ format }) => format);
  expect(formats('01/02/2026', '03/04/2026')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^DD?\//), expect.stringMatching(/^MM?\//)]),
  );
  expect(formats('01/02/2026', '31/12/2026')).toEqual([expect.stringMatching(/^DD?\/MM?\/YYYY$/)]);
  expect(formats('01/02/2026', '12/31/2026')).toEqual([expect.stringMatching(/^MM?\/DD?\/YYYY$/)]);
  expect(formats(...Array.from({ length: 30 }, () => '31/12/2026'), 'unknown')).toHaveLength(1);
  expect(formats('not', 'a', 'time')).toEqual([]);
});

test.each([
  [
    'a constant is not the user, unless it is named as one',
    { Z_CostContact: () => '3', Education: some('a', 'b', 'c'), Dt_Customer: time },
    [undefined, undefined, undefined],
  ],
  [
    'a constant that is named as the user is it',
    { user_id: () => 'u1', event: some('a', 'b'), time },
    ['user_id', 'event', 'time'],
  ],
  [
    'who sells is not who buys',
    { 'Sales Person': some('Ann', 'Bob'), Buyer: some('a', 'b', 'c', 'd'), 'Order Date': time },
    ['Buyer', undefined, 'Order Date'],
  ],
  [
    'what a customer pays is not the customer',
    { Customer: (row) => `€ ${row}.50`, 'Order Date': time },
    [undefined, undefined, 'Order Date'],
  ],
] as const satisfies readonly (readonly [string, Record<string, (row: number) => string>, unknown])[])(
  '%s',
  (_, columns, expected) => {
    expect(rolesOf(columns)).toEqual(expected);
  },
);
