/** What may separate thousands (`--thousands`); `space` is any space that does so, `apostrophe` also the curved one. */
export const THOUSANDS = [',', '.', 'space', 'apostrophe'] as const;
export type Thousands = (typeof THOUSANDS)[number];

/** How numbers are written where JSON would write them otherwise; `comma`: `--decimal-comma`, with any separator but it. */
export type NumberForm = Thousands | 'comma';

interface WrittenAs {
  readonly decimalComma?: boolean | undefined;
  readonly thousands?: Thousands | undefined;
}

const patternOf = (separators: string, decimal: string) =>
  new RegExp(
    `^([+-]?)(\\d{1,3}(?:([${separators}])\\d{3}(?:\\3\\d{3})*)|\\d+)(?:${decimal}(\\d+))?([eE][+-]?\\d+)?$`,
  );
const SPACES = ' \\u00a0\\u2009\\u202f';
const PATTERNS: Readonly<Record<NumberForm, RegExp>> = {
  comma: patternOf(`.${SPACES}'’`, ','),
  ',': patternOf(',', '\\.'),
  '.': patternOf('.', ','),
  apostrophe: patternOf("'’", '\\.'),
  space: patternOf(SPACES, '\\.'),
};

/** The form that the flags name; undefined for that of JSON. */
export const numberForm = ({ decimalComma, thousands }: WrittenAs): NumberForm | undefined =>
  decimalComma ? 'comma' : thousands;

/** The JSON number of a text such as `9.549,07`; undefined if it is not one of the form. Every digit stays. */
export function plainNumber(text: string, form: NumberForm): string | undefined {
  const match = PATTERNS[form].exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', , fraction, exponent = ''] = match;
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  return `${sign === '-' ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
}

/** What is said of a text that is not a number of the form. */
export const formText = (form: NumberForm): string =>
  form === 'comma'
    ? 'a number with a decimal comma'
    : `a number with thousands separated by ${{ ',': ',', '.': '.', space: 'spaces', apostrophe: 'apostrophes' }[form]}`;
