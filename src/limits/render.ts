import type { Output } from '../cli/output.ts';
import { dim, red, type Text, yellow } from '../cli/render/text.ts';
import { ago, span } from '../cli/render/time.ts';
import type { LimitRow } from './rows.ts';

const BAR = 8;

/** The table of `svc limits`. `now` is in Unix ms. */
export function limitsTable(rows: readonly LimitRow[], out: Output, now: number): Text {
  return out.table(
    [
      { title: 'GROUP', whole: true },
      { title: 'USED', whole: true },
      { title: 'LEFT', align: 'right', whole: true },
      { title: 'LIMIT', align: 'right', whole: true },
      { title: 'FREES', align: 'right' },
      { title: 'SEEN', align: 'right' },
      { title: 'DEFAULT', align: 'right' },
      { title: 'MAX', align: 'right' },
    ],
    rows.map((row) => {
      const faded = (text: string): Text => (row.stale ? dim(text) : text);
      return [
        row.group,
        used(row, out.isTerminal),
        faded(row.remaining === null ? '-' : String(row.remaining)),
        faded(row.limit === null ? '-' : String(row.limit)),
        freesIn(row, now),
        row.seenAt === null ? dim('never') : ago(Date.parse(row.seenAt), now),
        String(row.default),
        String(row.ceiling),
      ];
    }),
  );
}

function used({ used, limit, stale }: LimitRow, withBar: boolean): Text {
  if (used === null || limit === null) return '-';
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const percent = `${Math.round(share * 100)}%`;
  if (!withBar) return percent;
  // A single request shows: nothing used and hardly anything used are different answers.
  const full = used === 0 ? 0 : Math.max(1, Math.round(share * BAR));
  const text = `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percent.padStart(4)}`;
  if (stale) return dim(text);
  return share >= 0.95 ? red(text) : share >= 0.8 ? yellow(text) : text;
}

function freesIn({ reset, stale, used }: LimitRow, now: number): Text {
  if (reset === null || stale || used === 0) return '-';
  const wait = Date.parse(reset) - now;
  return wait < 1000 ? 'now' : span(wait);
}
