import type { VNode } from 'preact';
import type { ConsoleService } from '../../../contract/console.ts';
import { about } from '../../data/about.ts';
import { Bar } from '../../parts/bars.tsx';
import { bytes, count, percent } from '../../parts/numbers.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';

type Data = NonNullable<ConsoleService['data']>[number];

/** How many rows there are of each kind of data, and how much room they take. */
export function StoredData({ of }: { of: readonly Data[] }): VNode {
  const shown = isEmpty(of) ? of.filter(({ rows }) => rows !== null) : of;
  const inner = shown.filter((each) => isInner(each) && shareOf(each, of) < LARGE);
  return (
    <Box title={dataTitle(of)} label="Data" note={dataNote(of)}>
      <DataTable rows={[...shown.filter((each) => !inner.includes(each)), ...restOf(inner)]} of={of} />
      {inner.length > 1 && (
        <details class="figures">
          <summary>Other tables, by size</summary>
          <DataTable rows={inner} of={of} />
        </details>
      )}
    </Box>
  );
}

/** A table that takes such a share of all is not folded away. */
const LARGE = 0.05;

/** Tables without rows of their own here, which few look for. */
const isInner = ({ kind, rows }: Data) => rows === null && kind !== 'free';

/** One line for all of them, so that the shares add up. */
const restOf = (inner: readonly Data[]): Data[] =>
  inner.length === 0 ? [] : [{ kind: 'rest', rows: null, more: false, bytes: sizeOf(inner) }];

function DataTable({ rows, of }: { rows: readonly Data[]; of: readonly Data[] }): VNode {
  return (
    <Table
      label="Data"
      dense
      rows={largestFirst(rows)}
      keyOf={({ kind }) => kind}
      columns={isMeasured(of) ? [...DATA, ...sizesOf(of)] : DATA}
    />
  );
}

/** What tables hold whose names do not say it. */
const TABLES: Readonly<Record<string, string>> = {
  user_key: 'keys that encrypt what is stored of users',
  user_signal: 'counts of events by user',
  decided_user: 'counts of decisions by user',
  content_count: 'counts by content',
  model_piece: 'what the model has learned',
  outcome_log: 'outcomes for webhooks',
  decision: 'decisions',
  delivery: 'deliveries',
  webhook_performance: 'how attempts of deliveries went',
  shown_content: 'contents shown to users',
  message: 'messages that wait',
  marketing_sent: 'marketing sent to users',
  contact: 'addresses and consent of users',
};

const rowsWords = ({ rows, more }: Data) =>
  rows === null ? '' : `${more ? 'more than ' : ''}${count(rows)}`;

/** What is stored, in words: a table that has no rows of its own here is named. */
const wordsOf = ({ kind, rows }: Data) =>
  kind === 'rest'
    ? 'all other tables'
    : kind === 'other'
      ? 'smaller tables'
      : kind === 'free'
        ? 'room that is free for new rows'
        : rows === null
          ? (TABLES[kind] ?? kind.replaceAll('_', ' '))
          : kind === 'messages'
            ? 'messages that wait'
            : kind;

const isMeasured = (data: readonly Data[]) => data.some(({ bytes: size }) => size !== null);

/** The largest first, and what is not one kind at the end. */
const largestFirst = (data: readonly Data[]) =>
  [...data].sort((a, b) => Number(isRest(a)) - Number(isRest(b)) || (b.bytes ?? 0) - (a.bytes ?? 0));

const isRest = ({ kind }: Data) => ['other', 'rest', 'free'].includes(kind);

/** What takes most room or, where that is not known, what there is most of. */
function dataTitle(data: readonly Data[]): string {
  const [largest] = largestFirst(data);
  if (isEmpty(data))
    return `No data yet${isMeasured(data) ? `; empty tables take ${bytes(sizeOf(data))}` : ''}`;
  if (largest && isMeasured(data))
    return `Most room is taken by ${wordsOf(largest)}: ${bytes(largest.bytes ?? 0)}, ${percent(shareOf(largest, data))} of all`;
  const [most] = [...data].sort((a, b) => Number(b.more) - Number(a.more) || (b.rows ?? 0) - (a.rows ?? 0));
  return `Data: ${rowsWords(most!)} ${wordsOf(most!)} and others`;
}

function dataNote(data: readonly Data[]): string {
  const rows = 'rows of this workspace, counted up to 5,000';
  if (isMeasured(data)) return `${rows}; sizes are of all workspaces, measured every five minutes`;
  return `${rows}; the sizes of tables are not known here: ${about.value?.store?.engine === 'postgres' ? 'they are on the workers of Citus' : 'the file is larger than 4 GB, or does not give room back'}`;
}

const isEmpty = (data: readonly Data[]) => data.every(({ rows }) => (rows ?? 0) === 0);

const sizeOf = (data: readonly Data[]) => data.reduce((sum, each) => sum + (each.bytes ?? 0), 0);

const shareOf = ({ bytes: size }: Data, data: readonly Data[]) => (size ?? 0) / Math.max(1, sizeOf(data));

const DATA: readonly Column<Data>[] = [
  {
    title: 'Kind',
    cell: (each) => (
      <span title={each.rows === null && !isRest(each) ? `table ${each.kind}` : undefined}>
        <Text of={wordsOf(each)} />
      </span>
    ),
  },
  { title: 'Rows', align: 'end', cell: rowsWords },
];

const sizesOf = (data: readonly Data[]): readonly Column<Data>[] => [
  { title: 'Size', align: 'end', cell: ({ bytes: size }) => (size === null ? '' : bytes(size)) },
  {
    title: 'Share',
    wide: true,
    cell: (each) => <Bar value={each.bytes ?? 0} max={sizeOf(data)} label={percent(shareOf(each, data))} />,
  },
];
