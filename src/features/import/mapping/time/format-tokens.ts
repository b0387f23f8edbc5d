import { MONTHS, nameIndex, offsetMinutes, type WallTime, WEEKDAYS } from './wall-time.ts';

/**
 * Reads a token at an index of a text into the wall time. Returns the index after it, or -1 if the token is not there.
 */
export type ReadToken = (text: string, at: number, wall: WallTime) => number;

/** A token of a format. */
export interface Token {
  /** What it gives; each can be given once. */
  readonly part:
    | 'year'
    | 'month'
    | 'day'
    | 'hour'
    | 'minute'
    | 'second'
    | 'fraction'
    | 'half'
    | 'weekday'
    | 'zone';
  /** `fixed` and `variable` are digits, which need something between them unless the first is fixed. */
  readonly width: 'fixed' | 'variable' | 'words';
  readonly read: ReadToken;
}

type NumberPart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

function digits(part: NumberPart, min: number, max: number, adapt = (value: number) => value): Token {
  return {
    part,
    width: min === max ? 'fixed' : 'variable',
    read(text, at, wall) {
      let value = 0;
      let i = at;
      while (i < at + max) {
        const digit = text.charCodeAt(i) - 48;
        if (!(digit >= 0 && digit <= 9)) break;
        value = value * 10 + digit;
        i++;
      }
      if (i - at < min) return -1;
      wall[part] = adapt(value);
      return i;
    },
  };
}

/** Reads `min` to `max` digits of a fraction of a second. */
export function fraction(min: number, max: number): Token {
  return {
    part: 'fraction',
    width: min === max ? 'fixed' : 'variable',
    read(text, at, wall) {
      let i = at;
      while (i < at + max && text.charCodeAt(i) >= 48 && text.charCodeAt(i) <= 57) i++;
      if (i - at < min) return -1;
      wall.fraction = text.slice(at, i);
      return i;
    },
  };
}

function pattern(part: Token['part'], regexp: RegExp, put: (found: string, wall: WallTime) => void): Token {
  const sticky = new RegExp(regexp.source, 'iy');
  return {
    part,
    width: 'words',
    read(text, at, wall) {
      sticky.lastIndex = at;
      const found = sticky.exec(text)?.[0];
      if (found === undefined) return -1;
      put(found, wall);
      return at + found.length;
    },
  };
}

const short = (names: readonly string[]) => names.map((name) => name.slice(0, 3)).join('|');
const month = (regexp: RegExp) =>
  pattern('month', regexp, (found, wall) => {
    wall.month = nameIndex(MONTHS, found) + 1;
  });
const weekday = (regexp: RegExp) =>
  pattern('weekday', regexp, (found, wall) => {
    wall.weekday = nameIndex(WEEKDAYS, found);
  });
const half = pattern('half', /[ap](?:m|\.m\.)/, (found, wall) => {
  wall.halfDay = /^p/i.test(found) ? 12 : 0;
});
const zone = pattern('zone', /Z|UTC|GMT|[+-]\d\d(?::?\d\d)?/, (found, wall) => {
  wall.offset = offsetMinutes(found);
});
const utc = (name: string) =>
  pattern('zone', new RegExp(name), (_, wall) => {
    wall.offset = 0;
  });

/** The tokens by their name, as in Moment and Day.js; a longer name comes before its beginning. */
export const TOKENS: readonly (readonly [name: string, token: Token])[] = [
  ['YYYY', digits('year', 4, 4)],
  // As in POSIX: 69 to 99 are in the 20th century.
  ['YY', digits('year', 2, 2, (year) => year + (year > 68 ? 1900 : 2000))],
  ['MMMM', month(new RegExp(MONTHS.join('|')))],
  ['MMM', month(new RegExp(short(MONTHS)))],
  ['MM', digits('month', 2, 2)],
  ['M', digits('month', 1, 2)],
  ['DD', digits('day', 2, 2)],
  ['D', digits('day', 1, 2)],
  ['dddd', weekday(new RegExp(WEEKDAYS.join('|')))],
  ['ddd', weekday(new RegExp(short(WEEKDAYS)))],
  ['HH', digits('hour', 2, 2)],
  ['H', digits('hour', 1, 2)],
  ['hh', digits('hour', 2, 2)],
  ['h', digits('hour', 1, 2)],
  ['mm', digits('minute', 2, 2)],
  ['m', digits('minute', 1, 2)],
  ['ss', digits('second', 2, 2)],
  ['s', digits('second', 1, 2)],
  ['A', half],
  ['a', half],
  ['ZZ', zone],
  ['Z', zone],
  ['UTC', utc('UTC')],
  ['GMT', utc('GMT')],
];
