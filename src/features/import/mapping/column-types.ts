import { jsonString } from '../../../kit/json/json-string.ts';
import { shellWord } from '../../../kit/shell.ts';
import type { CellType } from '../record/cell-type.ts';
import type { FixingFlag } from '../record/validation-errors.ts';
import type { Mapping } from './mapping.ts';
import { type NumberForm, numberForm, plainNumber } from './number-form.ts';

/** A number of JSON. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Names of columns whose numbers are not quantities: leading zeros and every digit matter. */
const IDENTIFIERS = new Set(
  (
    'id ids uid uuid guid key hash zip zipcode postcode postal plz phone telephone tel mobile msisdn fax imei imsi ' +
    'iban bic ssn sku ean upc gtin isbn issn barcode serial'
  ).split(' '),
);
const NUMBERED = /^(account|card|order|invoice|ticket|customer|member|phone|serial|passport|tax)$/;

/** Returns the words of a name such as `user_id`, `userId`, `User ID` or `actor.id`, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Returns whether a column holds identifiers, by its name: they stay text, even if all are digits. */
export function isIdentifierName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  if (IDENTIFIERS.has(last)) return true;
  if (last === 'code') return /^(zip|postal|post|area|dial)$/.test(words.at(-2) ?? '');
  if (/^(no|nr|num|number)$/.test(last)) return NUMBERED.test(words.at(-2) ?? '');
  return /^[a-z]*(userid|clientid|customerid|visitorid|sessionid|deviceid|orderid|productid|itemid)$/.test(
    last,
  );
}

/** A number with spaces around it, or without a digit before or after its point, as JSON has it: `.94`, `5.` and ` 7`. */
function withDigits(padded: string): string {
  const cell = padded.trim();
  if (/^[+-]?\.\d/.test(cell)) return cell.replace('.', '0.');
  return /^-?\d+\.$/.test(cell) ? cell.slice(0, -1) : cell;
}

/** Returns whether a cell is a JSON number that a receiver can hold: finite, and no integer beyond 2^53. */
export function isNumber(cell: string): boolean {
  return isShortNumber(cell) || isLongNumber(cell);
}

/** Returns whether a cell is a number of up to 15 characters without an exponent, which is most of them. */
function isShortNumber(cell: string): boolean {
  const { length } = cell;
  let i = cell.charCodeAt(0) === MINUS ? 1 : 0;
  const first = cell.charCodeAt(i);
  if (length > 15 || !(first >= ZERO && first <= NINE)) return false;
  i++;
  if (first !== ZERO) while (i < length && isDigit(cell.charCodeAt(i))) i++;
  if (i === length) return true;
  if (cell.charCodeAt(i) !== POINT || ++i === length) return false;
  while (i < length && isDigit(cell.charCodeAt(i))) i++;
  return i === length;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

function isLongNumber(cell: string): boolean {
  if (!NUMBER.test(cell)) return false;
  const value = Number(cell);
  return Number.isFinite(value) && (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !/^-?\d+$/.test(cell));
}

export function isBoolean(cell: string): boolean {
  return cell === 'true' || cell === 'false';
}

/** Returns whether a cell is a boolean as other programs spell it: `True`, `FALSE`. */
function isSpelledBoolean(cell: string): boolean {
  return BOOLEANS.has(cell);
}

const BOOLEANS: ReadonlySet<string> = new Set(['true', 'false', 'True', 'False', 'TRUE', 'FALSE']);

/** A number of a form as JSON has it, unless a leading zero shows that it is none. */
function plainOf(cell: string, form: NumberForm | undefined): string {
  if (form === undefined) return withDigits(cell);
  return /^[+-]?0\d/.test(cell) ? cell : (plainNumber(cell, form) ?? '');
}

/** Returns whether a cell can be sent as it is in a column of the type. */
export function hasType(cell: string, type: CellType): boolean {
  return type === 'string' || (type === 'number' ? isNumber(cell) : isBoolean(cell));
}

/** Decides the type of a column from the cells of a sample that are not empty. Text is the safe choice. */
export function typeOfColumn(
  name: string,
  cells: Iterable<string>,
  { nullTexts, ...written }: Pick<Mapping, 'nullTexts' | 'decimalComma' | 'thousands'> = {},
): CellType {
  const form = numberForm(written);
  let numbers = true;
  let booleans = true;
  let count = 0;
  for (const cell of cells) {
    if (cell === '' || nullTexts?.has(cell)) continue;
    count++;
    numbers &&= isNumber(plainOf(cell, form));
    booleans &&= isSpelledBoolean(cell);
    if (!numbers && !booleans) return 'string';
  }
  if (count === 0) return 'string';
  if (booleans) return 'boolean';
  return isIdentifierName(name) ? 'string' : 'number';
}

/** Converts a cell to JSON text if it has the type that the sample gave its column. A number keeps its spelling. */
export function decidedJson(
  cell: string,
  type: CellType,
  column: string,
  form?: NumberForm,
): { json: string } | Unfit {
  if (type === 'string') return { json: jsonString(cell) };
  const text = type === 'boolean' ? booleanText(cell) : plainOf(cell, form);
  if (type === 'number' ? isNumber(text) : isBoolean(text)) return { json: text };
  const what = type === 'number' ? 'a number' : 'true or false';
  return {
    reason: `must be ${what}, as in the first rows; --type ${shellWord(`${column.slice(0, MAX_CHARS)}=string`)} makes the column text`,
    fixableBy: [`text:${column}`],
  };
}

function booleanText(cell: string): string {
  return isSpelledBoolean(cell) ? cell.toLowerCase() : cell;
}

/** Why a cell does not have the type of its column. */
interface Unfit {
  readonly reason: string;
  readonly fixableBy: readonly FixingFlag[];
}

/** Longest name of a column in a reason, in characters. */
const MAX_CHARS = 60;
