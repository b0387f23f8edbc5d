import type { Quote } from '../reading.ts';
import { rowsOf } from './sample-rows.ts';

const LINE_FEED = 0x0a;
/** `#Fields:` of the W3C format, and `#fields` of Zeek. */
const DIRECTIVE = /^#Fields:?\s+/i;

/** The names of the columns of a log, and where its rows begin. */
interface Fields {
  readonly delimiter: string;
  readonly names: readonly string[];
  readonly skipBytes: number;
  readonly skipLines: number;
  readonly title: string;
}

/**
 * Reads the directive of a log that names the columns of the rows below its comments: `#Fields: date time …` of the W3C
 * Extended Log File Format, or `#fields` of Zeek.
 */
export function fieldsDirective(
  head: Buffer,
  from: number,
  given: string | undefined,
  quote: Quote | undefined,
): Fields | undefined {
  let at = from;
  let line: string | undefined;
  for (;;) {
    const feed = head.indexOf(LINE_FEED, at);
    const text = head.toString('utf8', at, feed < 0 ? head.length : feed).trimEnd();
    if (feed < 0 || (text !== '' && !text.startsWith('#'))) break;
    if (DIRECTIVE.test(text)) line = text;
    at = feed + 1;
  }
  if (line === undefined) return undefined;
  const names = line.replace(DIRECTIVE, '').split(/\s+/);
  const delimiter = (given === undefined ? ['\t', ' ', ','] : [given]).find(
    (one) => rowsOf(head, at, one, quote)[0]?.cells.length === names.length,
  );
  if (delimiter === undefined) return undefined;
  const skipLines = linesIn(head.subarray(0, at));
  return { delimiter, names, skipBytes: at, skipLines, title: line };
}

/** The number of line feeds. */
export function linesIn(bytes: Buffer): number {
  return bytes.toString('latin1').split('\n').length - 1;
}
