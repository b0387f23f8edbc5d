import type { VNode } from 'preact';
import type { ConsoleLimits, ConsoleTurnedAway } from '../../../contract/console.ts';
import type { EndpointName } from '../../../contract/endpoints.ts';
import type { Group } from '../../../contract/limits.ts';
import { OPERATIONS } from '../../../contract/operations.gen.ts';
import { about } from '../../data/about.ts';
import { requestLine } from '../../data/api.ts';
import { tickWords } from '../../parts/charts/tick-words.ts';
import { CommandButton } from '../../parts/command.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

type Turned = NonNullable<ConsoleLimits['turnedAway']>;

/** Whose requests were over a limit, how many, when, and what to do. */
export function TurnedAway({ of }: { of: Turned }): VNode {
  const { rows } = of;
  return (
    <Box
      title={titleOf(of)}
      label="Turned away"
      note={`answered with 429 ${youngWords(of)} by the process of this console`}
    >
      <Table
        label="Turned away"
        dense
        rows={rows}
        keyOf={({ keyId, endpoint }) => `${keyId} ${endpoint}`}
        columns={COLUMNS}
      />
      <p class="note">
        Send slower with these keys: a 429 says in Retry-After how long to wait; imports and clients of svc do
        wait. Or raise the limit.
      </p>
      {rows.some(({ publishable }) => publishable) && (
        <div>
          <RaiseClient />
        </div>
      )}
    </Box>
  );
}

const DAY_MS = 86_400_000;

/** True while the process has not counted for a day. */
const isYoung = (since: string) => Date.parse(since) > Date.now() - DAY_MS + 60_000;

/** Since when they are counted, in words. */
export const youngWords = ({ since }: Turned): string =>
  isYoung(since) ? `since ${tickWords([Date.parse(since)])[0]}` : 'in the last 24 hours';

/** How many requests were turned away, in words, or that none was. */
export function turnedAwayWords(of: Turned): string {
  const n = of.rows.reduce((sum, each) => sum + each.count, 0);
  return `${n === 0 ? 'nobody was' : counted(n, 'request was', 'requests were')} turned away ${youngWords(of)}`;
}

/** How many requests with keys that share the limit of a group were turned away. */
export const turnedAwayOf = ({ rows }: Turned, group: Group): number =>
  rows.filter((row) => !row.publishable && groupOf(row) === group).reduce((sum, each) => sum + each.count, 0);

const groupOf = ({ endpoint }: ConsoleTurnedAway): Group | undefined =>
  OPERATIONS[endpoint as EndpointName]?.group;

/** Who was turned away most often. */
function titleOf({ rows }: Turned) {
  const first = rows[0]!;
  const own = rows.filter(({ keyId }) => keyId === first.keyId);
  const others = new Set(rows.flatMap(({ keyId }) => (keyId === first.keyId ? [] : keyId))).size;
  const n = own.reduce((sum, each) => sum + each.count, 0);
  const [begun] = own.map(({ firstAt }) => firstAt).sort();
  return [
    `Key ${cleaned(nameOf(first))} was turned away ${counted(n, 'time')}, first at `,
    <Time at={begun!} />,
    others > 0 && `, and ${counted(others, 'other key')}`,
  ];
}

/** What a key is for, or the beginning of its identifier. */
const nameOf = ({ name, keyId }: ConsoleTurnedAway) => name ?? `${keyId.slice(0, 12)}…`;

const COLUMNS: readonly Column<ConsoleTurnedAway>[] = [
  {
    title: 'Key',
    cell: (row) => (
      <>
        <span title={row.keyId}>
          <Cut of={nameOf(row)} />
        </span>
        <span class="note narrow">
          <Cut of={requestLine(row.endpoint) || row.endpoint} />
        </span>
      </>
    ),
  },
  {
    title: 'Request',
    wide: true,
    cell: (row) => <Cut of={requestLine(row.endpoint) || row.endpoint} />,
  },
  {
    title: 'Limit',
    wide: true,
    cell: (row) => {
      const group = groupOf(row);
      if (row.publishable) return 'that of a publishable key';
      return group && <a href={`/limits?group=${group}`}>{group}</a>;
    },
  },
  { title: 'Turned away', align: 'end', cell: ({ count: n }) => count(n) },
  { title: 'First', align: 'end', wide: true, cell: ({ firstAt }) => <Time at={firstAt} /> },
  { title: 'Last', align: 'end', wide: true, cell: ({ lastAt }) => <Time at={lastAt} /> },
];

/** What raises the limits of publishable keys; those of others have it in their list. */
function RaiseClient(): VNode {
  return (
    <CommandButton
      word="Raise the limits of publishable keys"
      line={`${about.value?.commandPrefix ?? 'svc'} serve --client-limit user=120`}
    >
      These limits are by user, address and key: the answer says which it was. Start the service with a higher
      one:
    </CommandButton>
  );
}
