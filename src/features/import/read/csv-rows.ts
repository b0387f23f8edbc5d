const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** What the scan of one row found. */
export interface Row {
  /** Index behind the row's line break; -1 when the row is not complete. */
  next: number;
  /** Index behind the row's last character. */
  end: number;
  /** Line breaks inside quoted cells. */
  breaks: number;
  /** Some cell is quoted. */
  quoted: boolean;
  fault: string | undefined;
  /**
   * Incomplete because a quoted cell is not closed as far as was looked; `surely` where its closing quote turned out
   * to be another cell's, on a later line.
   */
  unclosed: false | 'yet' | 'surely';
}

/**
 * Finds the end of the row that begins at `at`, as RFC 4180 has it: a quoted cell may hold delimiters, line breaks
 * and doubled quotes. Looks at `bytes[at..limit)`. A quote in the middle of a cell or text behind a closing quote is
 * a fault of that row, which then ends at the next line break. Fills and returns `row`.
 */
export function scanRow(bytes: Uint8Array, at: number, limit: number, delimiter: number, row: Row): Row {
  row.next = -1;
  row.breaks = 0;
  row.quoted = false;
  row.fault = undefined;
  row.unclosed = false;
  let i = at;
  let cellStart = true;
  while (i < limit) {
    const c = bytes[i]!;
    if (c === LINE_FEED) return endAt(bytes, at, i, row);
    if (c === QUOTE && cellStart) {
      row.quoted = true;
      i = closing(bytes, i + 1, limit, row);
      if (i < 0) {
        row.unclosed = 'yet';
        return row;
      }
      const after = bytes[i];
      if (i < limit && after !== delimiter && after !== LINE_FEED && after !== RETURN)
        return faulty(bytes, at, i, limit, 'has text behind a closing quote', row);
      cellStart = false;
      continue;
    }
    if (c === QUOTE)
      return faulty(bytes, at, i, limit, 'has a quote inside a cell that does not begin with one', row);
    cellStart = c === delimiter;
    i++;
  }
  return row;
}

/** Index behind the closing quote, or -1. */
function closing(bytes: Uint8Array, from: number, limit: number, row: Row): number {
  for (let i = from; i < limit; i++) {
    const c = bytes[i];
    if (c === LINE_FEED) row.breaks++;
    else if (c === QUOTE) {
      if (i + 1 < limit && bytes[i + 1] === QUOTE) i++;
      // At the very end of what was read the next byte could be another quote.
      else return i + 1 < limit ? i + 1 : -1;
    }
  }
  return -1;
}

function endAt(bytes: Uint8Array, at: number, feed: number, row: Row): Row {
  row.next = feed + 1;
  row.end = feed > at && bytes[feed - 1] === RETURN ? feed - 1 : feed;
  return row;
}

function faulty(bytes: Uint8Array, at: number, from: number, limit: number, fault: string, row: Row): Row {
  if (row.breaks > 0) {
    // The rows in between must not go down with this one: only its first line is at fault.
    row.unclosed = 'surely';
    return row;
  }
  row.fault = fault;
  for (let i = from; i < limit; i++) if (bytes[i] === LINE_FEED) return endAt(bytes, at, i, row);
  return row;
}

/** Splits the text of a row without fault into its cells. */
export function cellsOf(text: string, delimiter: string, quoted: boolean): string[] {
  if (!quoted) return text.split(delimiter);
  const cells: string[] = [];
  let i = 0;
  for (;;) {
    if (text[i] === '"') {
      let close = text.indexOf('"', i + 1);
      while (text[close + 1] === '"') close = text.indexOf('"', close + 2);
      cells.push(text.slice(i + 1, close).replaceAll('""', '"'));
      i = close + 1;
    } else {
      const next = text.indexOf(delimiter, i);
      const end = next < 0 ? text.length : next;
      cells.push(text.slice(i, end));
      i = end;
    }
    if (i >= text.length) return cells;
    i++;
    if (i === text.length) {
      cells.push('');
      return cells;
    }
  }
}

const CANDIDATES = [',', ';', '\t', '|'];

/** The delimiter of a header line: the candidate it holds most of outside quotes; a comma when it holds none. */
export function findDelimiter(header: string): string {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  let best = ',';
  let most = 0;
  for (const candidate of CANDIDATES) {
    const count = bare.split(candidate).length - 1;
    if (count > most) {
      best = candidate;
      most = count;
    }
  }
  return best;
}
