import fc from 'fast-check';

/** Numbers in headers: valid, extreme, in other notations, and several at once. */
const numbers = fc.oneof(
  fc.maxSafeNat().map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.double().map(String),
  fc.maxSafeNat().map((n) => `0x${n.toString(16)}`),
  fc.integer({ min: 1, max: 400 }).map((digits) => '9'.repeat(digits)),
  fc.integer({ min: 1, max: 400 }).map((zeros) => `${'0'.repeat(zeros)}7`),
  // Digits of other scripts, encoded in UTF-8.
  fc.constantFrom('\u0663', '\uff15').map((digit) => Buffer.from(digit).toString('latin1')),
  fc.constantFrom('-0', '-1', '+5', '1e3', '1e400', '5, 6', '5;6', '5 6', 'NaN', 'Infinity', '1_000'),
);

/** Dates in headers, including distant and invalid ones. */
const dates = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    'Fri, 31 Dec 275761 23:59:59 GMT',
    'Thu, 01 Jan 0000 00:00:00 GMT',
    'Sun, 31 Feb 2026 25:61:61 GMT',
    'Mon, 01 Jan 2026 00:00:00 +9999',
  ),
);

/** Any valid header value (RFC 9110, 5.5), as latin1: no line breaks, no U+0000. */
const bytes = fc
  .array(
    fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(0x09)),
    { maxLength: 300 },
  )
  .map((codes) => String.fromCharCode(...codes));

/** Any header value from a hostile or faulty sender. */
export const extremeValue = fc.oneof(numbers, dates, bytes);
