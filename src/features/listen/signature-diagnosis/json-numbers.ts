/** Number formats of JSON libraries: `1.0` becomes `1`, `1e3` becomes `1000`, a big integer loses its last digits. */

export interface NumberStyle {
  /** Description that follows "numbers". Undefined for the original literal. */
  readonly words: string | undefined;
  readonly format: (literal: string) => string;
}

const isInteger = (literal: string) => /^-?\d+$/.test(literal);
const formatDouble = (literal: string) => {
  const value = Number(literal);
  return Number.isFinite(value) ? String(value) : 'null';
};

export const GO_NUMBERS: NumberStyle = {
  words: 'as Go reads and writes them',
  format: (literal) => (Object.is(Number(literal), -0) ? '-0' : formatDouble(literal)),
};
export const PYTHON_NUMBERS: NumberStyle = {
  words: 'as Python reads and writes them',
  format: (literal) => (isInteger(literal) ? String(BigInt(literal)) : pythonFloat(Number(literal))),
};

export const NUMBER_STYLES: readonly NumberStyle[] = [
  { words: undefined, format: (literal) => literal },
  { words: 'as JavaScript reads and writes them', format: formatDouble },
  GO_NUMBERS,
  {
    words: 'with exact integers and short fractions, as PHP writes them',
    format: (literal) => (isInteger(literal) ? String(BigInt(literal)) : formatDouble(literal)),
  },
  PYTHON_NUMBERS,
];

/** Formats a number like `repr()` of a Python float. */
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

/** Maximum distance of the integers tried for a big integer: the precision of a double up to 2^62. */
const MAX_NEIGHBOURS = 512;

/**
 * Yields the literals that a parser may have turned into `literal`: those of the same double, likeliest first.
 * `0` may have been `0.0` or `-0`, `1000` may have been `1e3`, `9007199254740992` may have been `…993`.
 */
export function* lostSpellings(literal: string): Generator<string> {
  if (!isInteger(literal)) return;
  const value = Number(literal);
  yield pythonFloat(value);
  if (value === 0) {
    yield '-0';
    yield '-0.0';
    return;
  }
  const [, digits, zeros] = /^(-?\d*[1-9])(0+)$/.exec(literal) ?? [];
  if (zeros !== undefined) {
    for (const e of ['e', 'E', 'e+', 'E+']) yield `${digits}${e}${zeros.length}`;
  }
  if (Math.abs(value) < 2 ** 53 || !Number.isFinite(value)) return;
  const exact = BigInt(literal);
  for (let by = 1n; by <= MAX_NEIGHBOURS; by++) {
    const near = [exact - by, exact + by].filter((one) => Number(one) === value);
    if (near.length === 0) return;
    yield* near.map(String);
  }
}
