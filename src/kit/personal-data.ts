import { isValidIBAN } from 'ibantools';

/** A kind of personal data, as text for messages. */
type PersonalKind = 'an e-mail address' | 'a phone number' | 'a card number' | 'an account number' | 'a name';

export interface PersonalFinding {
  /** The variable or field. */
  readonly name: string;
  readonly kind: PersonalKind;
  /** Whether the name of the variable or its value looks like personal data. */
  readonly by: 'name' | 'value';
}

/**
 * Finds values of a notification that look like personal data. The service adds personal fields (specification: What
 * the service does, move 4), so callers need not send them. A heuristic to catch mistakes, which
 * `--allow-personal-data` disables. Returns at most one finding per variable, in their order.
 */
export function findPersonalData(values: Readonly<Record<string, string>>): PersonalFinding[] {
  const found: PersonalFinding[] = [];
  for (const [name, value] of Object.entries(values)) {
    const named = kindOfName(name);
    if (named !== null) found.push({ name, kind: named, by: 'name' });
    else {
      const kind = kindOfValue(value, !isReference(name));
      if (kind !== null) found.push({ name, kind, by: 'value' });
    }
  }
  return found;
}

/** Stands in place of a value that is not shown. */
export const MASKED = '***';

/** Names of values that are not shown beside those of NAMES: who somebody is, where they live, when they were born, secrets. */
const HIDDEN_NAMES = [
  /\b(first|last|full|user|given|family|middle|maiden|nick|sur|holder|recipient|sender|beneficiary|payee|payer|guest|passenger|contact) ?name\b/,
  /\b((card|account) ?)?holder$|\b(phone|mobile|account|card|tax) ?number\b|\b(national|tax) ?id\b|\bssn\b/,
  /\b((e ?mail|ip|home|street|mailing) ?)?address\b|\b(street|postcode|postal code|zip|zip ?code|ip)\b/,
  /\b(birth ?date|birthday|date of birth|dob|passport)\b/,
  /\b(password|passwd|secret|token|api ?key|authorization|cookie|signature)\b/,
] as const;
/** A longer text is not shown: nobody could read it, and it may hold anything. */
const MAX_SHOWN = 4096;
/** Values nested deeper are not shown. */
const MAX_DEPTH = 32;

/**
 * Masks what looks personal or secret in a value that others named, such as an event's property: by its name and those of
 * the fields below it, and by its content. Returns a copy with `***` in place of each such value, and of each name that
 * looks personal itself with its value. Takes linear time.
 */
export function maskPersonal(name: string, value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'object') {
    if (depth >= MAX_DEPTH || isHiddenName(name)) return MASKED;
    if (Array.isArray(value)) return value.map((item) => maskPersonal(name, item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        looksPersonal(key, key) ? [MASKED, MASKED] : [key, maskPersonal(key, inner, depth + 1)],
      ),
    );
  }
  return isHiddenName(name) || looksPersonal(name, String(value)) ? MASKED : value;
}

/** Whether a text looks personal by its content; one that is too long to be shown counts as such. */
const looksPersonal = (name: string, text: string): boolean =>
  text.length > MAX_SHOWN || kindOfValue(text, !isReference(name)) !== null;

const isHiddenWord = (words: string) => HIDDEN_NAMES.some((rule) => rule.test(words));

function isHiddenName(name: string): boolean {
  return name.length > MAX_SHOWN || kindOfName(name) !== null || isHiddenWord(wordsOf(name));
}

const NAMES: readonly (readonly [RegExp, PersonalKind])[] = [
  [/^(.* )?(e ?mail)( address| addr)?$|^mail( address)?$/, 'an e-mail address'],
  [/^(.* )?(phone|telephone|tel|mobile|msisdn|cell|cellphone|fax)( number| no| nr)?$/, 'a phone number'],
  [/^(whatsapp|sms) (number|no|nr)$/, 'a phone number'],
  [
    /^(.* )?((credit|debit|payment|bank) card|card number|card no|card nr|pan|cvv|cvc)( number| no| nr)?$|^card$/,
    'a card number',
  ],
  [
    /^(.* )?(iban|bban|account|acct|bank account)( number| no| nr| num)?$|^sort code$|^ssn$/,
    'an account number',
  ],
  [/^(user |customer |client |full |first |last |family |given |middle |sur)?name$/, 'a name'],
];

function kindOfName(name: string): PersonalKind | null {
  const words = wordsOf(name);
  // No rule matches names such as `accountId` and `cardType`, which are references and types.
  return NAMES.find(([rule]) => rule.test(words))?.[1] ?? null;
}

/** Splits a name such as `firstName` or `first_name` into words in lower case. */
function wordsOf(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[\s._-]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** True for names whose digits are a reference, not a phone number. */
function isReference(name: string): boolean {
  return /(id|ref|reference|order|invoice|ticket|tracking|code|otp|number|nr|no|amount|sku|timestamp)$/i.test(
    name,
  );
}

/** `bareDigits`: whether digits without `+` or separators can be a phone number. */
function kindOfValue(raw: string, bareDigits: boolean): PersonalKind | null {
  // Parts of a UUID (RFC 9562) can look like card and phone numbers.
  const value = raw.normalize('NFKC').replace(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, ' ');
  if (value.includes('@') && /[^\s@<>"(),:;]{1,64}@[^\s@<>"(),:;]{1,190}\.[^\s@<>"(),:;.]{2}/.test(value))
    return 'an e-mail address';
  if (hasIban(value)) return 'an account number';
  if (hasCard(value)) return 'a card number';
  if (hasPhone(value, bareDigits)) return 'a phone number';
  return null;
}

/**
 * Finds account numbers by ISO 13616, including the length and format of each country. With check digits alone, one in
 * a hundred random identifiers, such as a hexadecimal hashId, would match.
 */
function hasIban(value: string): boolean {
  const text = value.toUpperCase();
  for (const { index } of text.matchAll(/(?<![A-Z0-9])[A-Z]{2}\d{2}/g)) {
    // An IBAN has at most 34 characters, each possibly followed by a separator. The match may include later words.
    const [words] = /^[A-Z0-9]+(?:[ -][A-Z0-9]+)*/.exec(text.slice(index, index + 2 * 34))!;
    let account = '';
    for (const word of words.split(/[ -]/)) {
      account += word;
      if (isValidIBAN(account)) return true;
    }
  }
  return false;
}

function hasCard(value: string): boolean {
  for (const match of value.matchAll(/(?<![\dA-Za-z+])\d(?:[ -]?\d){12,18}(?![\dA-Za-z])/g)) {
    const digits = match[0].replace(/\D/g, '');
    // ISO/IEC 7812 issuers: 2, 4 and 5 banks, 3 travel, 6 merchandising.
    if (/^[2-6]/.test(digits) && passesLuhn(digits)) return true;
  }
  return false;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const SEPARATOR = '[ .\\-/]?';
const INTERNATIONAL = new RegExp(`(?<![\\w+])(?:\\+|00)[1-9](?:${SEPARATOR}\\(?\\d\\)?){6,14}(?!\\w)`);
/** A leading zero and a separator: (030) 1234-5678, 030/12345678, 0151 234 56789. */
const NATIONAL = /(?<![\w.+-])\(?0\d{1,5}\)?[ /-]\(?\d[\d ()/-]{4,12}\d(?![\w-])/;
/** For example (555) 123-4567, 555-123-4567, 555.123.4567. */
const NORTH_AMERICAN = /(?<![\w.+-])(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?![\w-])/;
const BARE = /(?<![\w.+-])0[1-9]\d{8,10}(?![\w.-])/;

function hasPhone(value: string, bareDigits: boolean): boolean {
  // Dates and times can look like national phone numbers.
  const text = value.replace(
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\b\d\d[./-]\d\d[./-]\d{4}\b/g,
    ' ',
  );
  return (
    INTERNATIONAL.test(text) ||
    NATIONAL.test(text) ||
    NORTH_AMERICAN.test(text) ||
    (bareDigits && BARE.test(text))
  );
}
