import type { Output } from '../../cli/terminal/output.ts';
import { dim, red, type Text, yellow } from '../../cli/terminal/text.ts';
import { ago, span } from '../../cli/terminal/time.ts';
import type { LimitRow } from './rows.ts';

const BAR_WIDTH = 6;
/** A narrower terminal gets neither bars nor the constant columns. */
const MIN_FULL_WIDTH = 80;

/** Renders the table of `svc limits`. `now` is in Unix ms; `columns` is the width of the terminal, if any. */
export function limitsTable(rows: readonly LimitRow[], out: Output, now: number, columns?: number): Text {
  const narrow = columns !== undefined && columns < MIN_FULL_WIDTH;
  const head = [
    { title: 'GROUP', whole: true },
    { title: 'USED', whole: true },
    { title: 'LEFT', align: 'right' as const },
    { title: 'LIMIT', align: 'right' as const },
    { title: 'FREES', align: 'right' as const },
    { title: 'SEEN', align: 'right' as const },
  ];
  const constants = [
    { title: 'DEFAULT', align: 'right' as const },
    { title: 'MAX', align: 'right' as const },
  ];
  return out.table(
    narrow ? head : [...head, ...constants],
    rows.map((row) => {
      const faded = (text: string): Text => (row.stale ? dim(text) : text);
      return [
        row.group,
        used(row, out.isTerminal && !narrow),
        faded(row.remaining === null ? '-' : String(row.remaining)),
        faded(row.limit === null ? (row.seenAt === null ? '-' : 'off') : String(row.limit)),
        freesIn(row, now),
        row.seenAt === null ? dim('never') : ago(Date.parse(row.seenAt), now),
        ...(narrow ? [] : [String(row.default), String(row.ceiling)]),
      ];
    }),
  );
}

function used({ used, limit, stale }: LimitRow, withBar: boolean): Text {
  if (used === null || limit === null) return '-';
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const percent = `${Math.round(share * 100)}%`;
  if (!withBar) return percent;
  // One used request fills at least one block, to distinguish it from none.
  const full = used === 0 ? 0 : Math.max(1, Math.round(share * BAR_WIDTH));
  const text = `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${percent.padStart(4)}`;
  if (stale) return dim(text);
  return share >= 0.95 ? red(text) : share >= 0.8 ? yellow(text) : text;
}

function freesIn({ reset, stale, used }: LimitRow, now: number): Text {
  if (reset === null || stale || used === 0) return '-';
  const wait = Date.parse(reset) - now;
  return wait < 1000 ? 'now' : span(wait);
}
