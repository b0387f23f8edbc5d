import type { GivenType } from '../record/cell-type.ts';

/** The unit of an amount, which may be empty; undefined for a type of JSON. */
export function unitOf(type: GivenType | undefined): string | undefined {
  return type?.startsWith('amount') ? type.slice('amount:'.length) : undefined;
}

/** An amount without its unit: the text of a number, negative where parentheses or a minus at its end say so. */
interface Amount {
  readonly unit: string;
  readonly number: string;
  /** It is not written as a number is. */
  readonly isMarked: boolean;
}

const SIGN = '[-+\\u2212]';
const UNIT = '[A-Z]{0,2}\\p{Sc}|[A-Z]{3}|%|kr\\.?|zł|Kč|Ft|lei';
const AMOUNT = new RegExp(
  `^(\\()?(${SIGN})?\\s?(${UNIT})?\\s?(${SIGN})?(\\d(?:[\\d.,'’\\s]*\\d)?|[.,]\\d+)\\s?(${UNIT})?\\s?(-|\\u2212)?(\\))?$`,
  'u',
);
/** Codes such as EUR; other capitals are names. */
const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
/** Longest text of an amount, in characters. */
const MAX_CHARS = 60;

/** Reads an amount such as `£1,183.23`, `12,5 %` or `(3.20)`; undefined for another text. */
export function amountOf(text: string): Amount | undefined {
  const match = text.length > MAX_CHARS ? null : AMOUNT.exec(text.trim());
  if (!match) return undefined;
  const [, open, first, before, second, digits = '', after, last, close] = match;
  const signs = [first, second, last].filter((sign) => sign !== undefined);
  // A number can be marked as negative once.
  if ((open === undefined) !== (close === undefined) || signs.length > (open ? 0 : 1)) return undefined;
  if (before !== undefined && after !== undefined) return undefined;
  const unit = before ?? after ?? '';
  if (/^[A-Z]{3}$/.test(unit) && !CODES.has(unit)) return undefined;
  const isNegative = open !== undefined || (signs.length > 0 && signs[0] !== '+');
  return {
    unit,
    number: `${isNegative ? '-' : ''}${digits}`,
    isMarked: unit !== '' || open !== undefined || last !== undefined || signs[0] === '\u2212',
  };
}
