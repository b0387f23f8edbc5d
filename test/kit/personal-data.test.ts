import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPersonalData, maskPersonal } from '../../src/kit/personal-data.ts';

const kindOf = (value: string, name = 'note') => findPersonalData({ [name]: value })[0]?.kind ?? null;

describe('what looks like personal data', () => {
  it.each([
    ['ada@example.com', 'an e-mail address'],
    ['write to Ada <ada.l+x@mail.example.co.uk>.', 'an e-mail address'],
    ['ada＠example.com', 'an e-mail address'],
    ['jürgen@müller.de', 'an e-mail address'],
    ['+4915112345678', 'a phone number'],
    ['call +44 20 7946 0958 now', 'a phone number'],
    ['+1 (555) 123-4567', 'a phone number'],
    ['004915112345678', 'a phone number'],
    ['(555) 234-5678', 'a phone number'],
    ['555-234-5678', 'a phone number'],
    ['0151 23456789', 'a phone number'],
    ['030/12345678', 'a phone number'],
    ['(030) 1234-5678', 'a phone number'],
    ['015112345678', 'a phone number'],
    ['＋４９１５１１２３４５６７８', 'a phone number'],
    ['4111111111111111', 'a card number'],
    ['4111 1111 1111 1111', 'a card number'],
    ['5500-0000-0000-0004', 'a card number'],
    ['378282246310005', 'a card number'],
    ['paid with 6011111111111117, thanks', 'a card number'],
    ['DE89370400440532013000', 'an account number'],
    ['DE89 3704 0044 0532 0130 00', 'an account number'],
    ['gb29 nwbk 6016 1331 9268 19', 'an account number'],
    ['IBAN DE89370400440532013000 today', 'an account number'],
    ['DE89 DE89 3704 0044 0532 0130 00, or NL91-ABNA-0417-1643-00', 'an account number'],
  ])('sees %j as %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });

  it.each([
    'ORD-10023',
    '12345678',
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    '31.01.2026',
    '31/01/2026',
    '19:45',
    '129.90',
    '1,299.00 EUR',
    '1234 5678 9012 3456',
    'https://shop.example.com/orders/10023',
    'user@home',
    '@ada',
    'v1.2.3',
    '192.168.1.1',
    '550e8400-e29b-41d4-a716-446655440000',
    'DE00370400440532013000',
    'Your parcel is 3 stops away',
    'a'.repeat(64),
    'ed3794c489766046b1c67e8ef0bbb38272a84fcbd4fe4b6d8bb79a948493139b',
    '0041234567d66046b1c67e8ef0bbb38272a84fcbd4fe4b6d8bb79a948493139b',
    '00412345-6789-4a16-b716-446655440000',
    'ed37-94c4-8976-6046-b1c6',
    '',
    '**** 1234',
  ])('lets %j pass', (value) => {
    expect(kindOf(value)).toBeNull();
    expect(kindOf(value, 'orderId')).toBeNull();
  });

  it('accepts hexadecimal identifiers', () => {
    const hex = (bytes: number) =>
      fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
    fc.assert(
      fc.property(fc.oneof(hex(32), hex(20), hex(16), fc.uuid()), (id) => {
        expect(kindOf(id)).toBeNull();
        expect(kindOf(id.toUpperCase())).toBeNull();
      }),
      { numRuns: 5_000 },
    );
  });

  it('accepts digits in variables named as references', () => {
    expect(kindOf('015112345678', 'orderId')).toBeNull();
    expect(kindOf('015112345678', 'contact')).toBe('a phone number');
  });

  it.each([
    ['email', 'an e-mail address'],
    ['E-Mail', 'an e-mail address'],
    ['customer_email', 'an e-mail address'],
    ['emailAddress', 'an e-mail address'],
    ['phone', 'a phone number'],
    ['mobileNumber', 'a phone number'],
    ['phone_no', 'a phone number'],
    ['msisdn', 'a phone number'],
    ['card', 'a card number'],
    ['cardNumber', 'a card number'],
    ['creditCard', 'a card number'],
    ['accountNumber', 'an account number'],
    ['account', 'an account number'],
    ['IBAN', 'an account number'],
    ['bank_account_no', 'an account number'],
    ['name', 'a name'],
    ['firstName', 'a name'],
  ])('sees the variable %s as %s, whatever its value', (name, kind) => {
    expect(findPersonalData({ [name]: 'x' })).toEqual([{ name, kind, by: 'name' }]);
  });

  it.each([
    'orderId',
    'accountId',
    'cardType',
    'productName',
    'amount',
    'when',
    'panel',
    'hotel',
    'emailCount',
  ])('has nothing against a variable called %s', (name) => {
    expect(findPersonalData({ [name]: 'x' })).toEqual([]);
  });

  it('finds every card that passes the Luhn check, and none with one changed digit', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 14, maxLength: 14 });
    fc.assert(
      fc.property(digits, fc.integer({ min: 1, max: 9 }), (rest, shift) => {
        const base = `4${rest.join('')}`;
        const check = [...Array(10).keys()].filter((last) => kindOf(`${base}${last}`, 'orderId') !== null);
        expect(check.length).toBe(1);
        expect(kindOf(`${base}${(check[0]! + shift) % 10}`, 'orderId')).toBeNull();
      }),
    );
  });

  it('reports every variable found, in order', () => {
    expect(findPersonalData({ a: 'x@y.zz', orderId: '1', phone: '' }).map(({ name }) => name)).toEqual([
      'a',
      'phone',
    ]);
  });

  it('is fast on long malicious text', () => {
    for (const piece of ['a@', '1 ', '+1', 'DE89 ', '(0', '0/'])
      expect(() => kindOf(piece.repeat(20_000))).not.toThrow();
  });
});

describe('what is masked', () => {
  it('masks values by their name, by their content and below them, and nothing else', () => {
    const properties = {
      amount: 129.5,
      paid: true,
      page: '/checkout',
      contact: 'ada@example.com',
      firstName: 'Ada',
      shipping: { street: 'Elm 1', country: 'DE', phones: ['+4915112345678'] },
      card: 4111111111111111,
      pan: 1,
      user_token: 'abc',
      accountId: 'a-17',
      tags: ['new', 'DE89370400440532013000'],
      none: null,
    };
    expect(maskPersonal('properties', properties)).toEqual({
      amount: 129.5,
      paid: true,
      page: '/checkout',
      contact: '***',
      firstName: '***',
      shipping: { street: '***', country: 'DE', phones: ['***'] },
      card: '***',
      pan: '***',
      user_token: '***',
      accountId: 'a-17',
      tags: ['new', '***'],
      none: null,
    });
  });

  it.each([
    ...['firstname', 'fullname', 'username', 'recipientName', 'contact_name', 'cardholder', 'accountHolder'],
    ...['emailaddress', 'phonenumber', 'ipAddress', 'mailing_address', 'nationalId', 'taxNumber', 'zipcode'],
  ])('masks %s by its name', (name) => {
    expect(maskPersonal('properties', { [name]: 'x' })).toEqual({ [name]: '***' });
  });

  it.each(['eventName', 'file_name', 'productName', 'shareholderMeeting', 'orderNumber', 'addressed', 'tip'])(
    'shows %s',
    (name) => {
      expect(maskPersonal('properties', { [name]: 'x' })).toEqual({ [name]: 'x' });
    },
  );

  it('masks names that look personal themselves, at any depth', () => {
    const properties = { 'ada@example.com': 1, list: [{ '+4915112345678': { a: 1 } }], page: 'x' };
    expect(maskPersonal('properties', properties)).toEqual({
      '***': '***',
      list: [{ '***': '***' }],
      page: 'x',
    });
  });

  it('masks what is too long or too deep to be looked at', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    expect(JSON.stringify(maskPersonal('a', deep)).length).toBeLessThan(500);
    expect(maskPersonal('text', 'eyJ-'.repeat(16 * 1024))).toBe('***');
    expect(maskPersonal('x'.repeat(100_000), 1)).toBe('***');
  });
});
