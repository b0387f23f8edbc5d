import type { Field } from '../../cli/terminal/listing.ts';
import { dim, red, type Text, yellow } from '../../cli/terminal/text.ts';
import { ago, span } from '../../cli/terminal/time.ts';
import type { LimitRow } from './rows.ts';

const BAR_WIDTH = 6;
/** A narrower terminal gets neither bars nor the constant columns. */
const MIN_FULL_WIDTH = 80;

/** How limits are shown. */
export interface LimitsView {
  /** Unix ms. */
  readonly now: number;
  /** The width of the terminal; undefined in a pipe. */
  readonly columns: number | undefined;
}

/** The fields of `svc limits`. */
export function limitFields({ now, columns }: LimitsView): readonly Field<LimitRow>[] {
  const narrow = columns !== undefined && columns < MIN_FULL_WIDTH;
  const bars = columns !== undefined && !narrow;
  const faded = (row: LimitRow, text: string): Text => (row.stale ? dim(text) : text);
  return [
    { field: 'group', title: 'GROUP', whole: true },
    { field: 'used', title: 'USED', whole: true, cell: (row) => used(row, bars) },
    {
      field: 'remaining',
      title: 'LEFT',
      align: 'right',
      cell: (row) => faded(row, row.remaining === null ? '-' : String(row.remaining)),
    },
    { field: 'limit', title: 'LIMIT', align: 'right', cell: (row) => faded(row, limitText(row)) },
    { field: 'reset', title: 'FREES', align: 'right', cell: (row) => freesIn(row, now) },
    {
      field: 'seenAt',
      title: 'SEEN',
      align: 'right',
      cell: ({ seenAt }) => (seenAt === null ? dim('never') : ago(Date.parse(seenAt), now)),
    },
    { field: 'default', title: 'DEFAULT', align: 'right', extra: narrow },
    { field: 'ceiling', title: 'MAX', align: 'right', extra: narrow },
    { field: 'covers', title: 'COVERS', extra: true },
    { field: 'stale', title: 'STALE', extra: true },
  ];
}

const limitText = ({ limit, seenAt }: LimitRow) =>
  limit === null ? (seenAt === null ? '-' : 'off') : String(limit);

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
