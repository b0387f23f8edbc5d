/** How software spells a number that it has read: `1.0` as `1`, `1e3` as `1000`, a big integer with other last digits. */

export interface NumberStyle {
  /** Said after "numbers". Undefined for the spelling as it is. */
  readonly words: string | undefined;
  readonly spell: (spelled: string) => string;
}

const isInteger = (spelled: string) => /^-?\d+$/.test(spelled);
const spellDouble = (spelled: string) => {
  const value = Number(spelled);
  return Number.isFinite(value) ? String(value) : 'null';
};

export const GO_NUMBERS: NumberStyle = {
  words: 'as Go reads and writes them',
  spell: (spelled) => (Object.is(Number(spelled), -0) ? '-0' : spellDouble(spelled)),
};
export const PYTHON_NUMBERS: NumberStyle = {
  words: 'as Python reads and writes them',
  spell: (spelled) => (isInteger(spelled) ? String(BigInt(spelled)) : pythonFloat(Number(spelled))),
};

export const NUMBER_STYLES: readonly NumberStyle[] = [
  { words: undefined, spell: (spelled) => spelled },
  { words: 'as JavaScript reads and writes them', spell: spellDouble },
  GO_NUMBERS,
  {
    words: 'with exact integers and short fractions, as PHP writes them',
    spell: (spelled) => (isInteger(spelled) ? String(BigInt(spelled)) : spellDouble(spelled)),
  },
  PYTHON_NUMBERS,
];

/** `repr()` of a Python float. */
function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (Object.is(value, -0)) return '-0.0';
  const [, sign, digits, fraction = '', power] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(
    value.toExponential(),
  ) as unknown as [string, string, string, string | undefined, string];
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const mantissa = fraction === '' ? digits : `${digits}.${fraction}`;
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  return value.toFixed(Math.max(1, fraction.length - exponent));
}

/** Most spellings that are tried for one big integer: as many as differ below the precision of a double up to 2^62. */
const MOST_NEIGHBOURS = 512;

/**
 * What may have stood where a parser left `spelled`: the spellings of the same double, likeliest first.
 * `0` may have been `0.0` or `-0`, `1000` may have been `1e3`, `9007199254740992` may have been `…993`.
 */
export function* lostSpellings(spelled: string): Generator<string> {
  if (!isInteger(spelled)) return;
  const value = Number(spelled);
  yield pythonFloat(value);
  if (value === 0) {
    yield '-0';
    yield '-0.0';
    return;
  }
  const [, digits, zeros] = /^(-?\d*[1-9])(0+)$/.exec(spelled) ?? [];
  if (zeros !== undefined) {
    for (const e of ['e', 'E', 'e+', 'E+']) yield `${digits}${e}${zeros.length}`;
  }
  if (Math.abs(value) < 2 ** 53 || !Number.isFinite(value)) return;
  const exact = BigInt(spelled);
  for (let by = 1n; by <= MOST_NEIGHBOURS; by++) {
    const near = [exact - by, exact + by].filter((one) => Number(one) === value);
    if (near.length === 0) return;
    yield* near.map(String);
  }
}
