import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ConsoleService } from '../../../contract/console.ts';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about, offers, svcCommand } from '../../data/about.ts';
import { ask, call, reach } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Cards } from '../../parts/facts.tsx';
import { bytes, count, ENGINES, percent } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';

const EVERY_MS = 5_000;
const SELDOM_MS = 30_000;

/** How the service is: whether it answers, what waits for its workers, and which processes serve from its store. */
export function ServiceView(): VNode {
  const service = useResource(
    'service',
    async (signal) => {
      const answer = await ask<ConsoleService>('service', { signal });
      reach.value = answer.reached ? 'ok' : 'unreachable';
      return answer;
    },
    EVERY_MS,
  );
  const overview = useResource(
    offers('getOverview') ? 'overview' : undefined,
    (signal) => call('getOverview', { signal }),
    SELDOM_MS,
  );
  const { value, error } = service;
  // All of it comes at once, so that nothing jumps.
  const isThere = useRef(false);
  isThere.current ||= value !== undefined && (!overview.loading || overview.error !== undefined);
  return (
    <>
      <ViewHead
        title="Service"
        command={svcCommand('doctor')}
        readAt={service.readAt}
        every={EVERY_MS}
        refresh={service.reload}
      />
      {error && <Failure error={error} retry={service.reload} />}
      {!isThere.current && !error && <Loading what="the service" />}
      {value && isThere.current && (
        <>
          <Cards facts={factsOf(value, overview.value)} />
          <Providers of={overview.value?.providers ?? []} />
          <Box
            title="Due work"
            note="What waits for the workers of all nodes now, counted up to 10,000; what is tried again later is not in it."
          >
            {value.backlog === null ? (
              <p>{value.process === null ? NOT_SAID : 'The store does not answer.'}</p>
            ) : (
              <Table label="Due work" rows={value.backlog} keyOf={({ kind }) => kind} columns={BACKLOG} />
            )}
          </Box>
          {value.data !== null && (
            <Box title={dataTitle(value.data)} label="Data" note={dataNote(value.data)}>
              <Table
                label="Data"
                dense
                rows={largestFirst(value.data)}
                keyOf={({ kind }) => kind}
                columns={isMeasured(value.data) ? [...DATA, ...sizesOf(value.data)] : DATA}
              />
            </Box>
          )}
          <Box
            title="Processes"
            note="All that serve from this store. Each says every 15 s that it is there."
          >
            {value.nodes === null ? (
              <p>{value.process === null ? NOT_SAID : 'The store does not answer.'}</p>
            ) : (
              <Table
                label="Processes"
                rows={value.nodes}
                keyOf={({ id }) => id}
                columns={columnsOf(value.nodes)}
              />
            )}
          </Box>
        </>
      )}
    </>
  );
}

/** When each provider last took a notification. Nothing for a test workspace, which calls none. */
function Providers({ of }: { of: readonly Provider[] }): VNode | null {
  if (of.length === 0) return null;
  return (
    <Box title="Providers" note="as far as the latest 200 notifications of each state say">
      <Table label="Providers" rows={of} keyOf={({ channel }) => channel} columns={PROVIDER} />
    </Box>
  );
}

type Overview = AnswerOf<'getOverview'>;
type Provider = Overview['providers'][number];

const PROVIDER: readonly Column<Provider>[] = [
  { title: 'Channel', cell: ({ channel }) => <Text of={channel} /> },
  {
    title: 'State',
    cell: ({ waiting, lastSuccessAt }) =>
      waiting > 0 ? (
        <Badge tone="bad">fails</Badge>
      ) : (
        <Badge tone={lastSuccessAt === null ? 'plain' : 'good'}>
          {lastSuccessAt === null ? 'not used' : 'works'}
        </Badge>
      ),
  },
  {
    title: 'Last success',
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? 'none' : <Time at={lastSuccessAt} />),
  },
  {
    title: 'Waiting',
    note: 'after three attempts or more',
    align: 'end',
    cell: ({ waiting }) => count(waiting),
  },
];

type Data = NonNullable<ConsoleService['data']>[number];

const rowsWords = ({ rows, more }: Data) =>
  rows === null ? '' : `${more ? 'more than ' : ''}${count(rows)}`;

/** What is stored, in words: a table that has no rows of its own here is named. */
const wordsOf = ({ kind, rows }: Data) =>
  kind === 'other'
    ? 'all other tables'
    : kind === 'free'
      ? 'free room for new rows'
      : rows === null
        ? `table ${kind}`
        : kind;

const isMeasured = (data: readonly Data[]) => data.some(({ bytes: size }) => size !== null);

/** The largest first, and what is not one kind at the end. */
const largestFirst = (data: readonly Data[]) =>
  [...data].sort((a, b) => Number(isRest(a)) - Number(isRest(b)) || (b.bytes ?? 0) - (a.bytes ?? 0));

const isRest = ({ kind }: Data) => kind === 'other' || kind === 'free';

/** What takes most room or, where that is not known, what there is most of. */
function dataTitle(data: readonly Data[]): string {
  const [largest] = largestFirst(data);
  if (largest && isMeasured(data))
    return `Most room is taken by ${wordsOf(largest)}: ${bytes(largest.bytes ?? 0)}, ${percent(shareOf(largest, data))} of all`;
  const [most] = [...data].sort((a, b) => Number(b.more) - Number(a.more) || (b.rows ?? 0) - (a.rows ?? 0));
  return most === undefined || most.rows === 0
    ? 'No data yet'
    : `Data: ${rowsWords(most)} ${most.kind} and others`;
}

function dataNote(data: readonly Data[]): string {
  const rows = 'rows of this workspace, counted up to 5,000';
  if (isMeasured(data))
    return `${rows}; sizes of the tables of all workspaces with their indexes, measured every five minutes`;
  return `${rows}; the sizes of tables are not known here: ${about.value?.store?.engine === 'postgres' ? 'they are on the workers of Citus' : 'the file is larger than 4 GB, or does not give room back'}`;
}

const shareOf = ({ bytes: size }: Data, data: readonly Data[]) =>
  (size ?? 0) /
  Math.max(
    1,
    data.reduce((sum, each) => sum + (each.bytes ?? 0), 0),
  );

const DATA: readonly Column<Data>[] = [
  { title: 'Kind', cell: (each) => <Text of={wordsOf(each)} /> },
  { title: 'Rows', align: 'end', cell: rowsWords },
];

const sizesOf = (data: readonly Data[]): readonly Column<Data>[] => [
  { title: 'Size', align: 'end', cell: ({ bytes: size }) => (size === null ? '' : bytes(size)) },
  { title: 'Share', align: 'end', cell: (each) => percent(shareOf(each, data)) },
];

const NOT_SAID = 'A service that is reached over the network does not say it.';

function factsOf(
  { reached, ready, version, channels, process }: ConsoleService,
  overview: Overview | undefined,
) {
  const { store = null, workspace, version: own = '' } = about.value ?? {};
  const state = !reached ? (
    <Badge tone="bad">does not answer</Badge>
  ) : ready === null ? (
    <Badge>answers</Badge>
  ) : (
    <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
  );
  return [
    { name: 'State', value: state },
    { name: 'Version', value: <Text of={version ?? 'not said'} /> },
    ...(own === version ? [] : [{ name: 'Version of svc', value: <Text of={own} /> }]),
    {
      name: 'Workspace',
      value: <Id of={workspace?.id ?? ''} />,
      note: [workspace?.mode, workspace?.region].filter(Boolean).join(' · ') || undefined,
    },
    ...(store
      ? [{ name: 'Store', value: ENGINES[store.engine], note: `${bytes(store.bytes)} of all workspaces` }]
      : []),
    ...(overview
      ? [
          {
            name: 'Last backup',
            value: overview.lastBackupAt === null ? 'never' : <Time at={overview.lastBackupAt} />,
            note:
              about.value?.local && about.value.profile === 'local' ? (
                <code>{svcCommand('data', 'backup', 'svc.backup')}</code>
              ) : (
                <>
                  by <code>svc data backup</code> where its database is
                </>
              ),
          },
        ]
      : []),
    ...(channels
      ? [
          {
            name: 'Channels with a provider',
            value: channels.join(', ') || 'none',
            note: 'the others write to the outbox',
          },
        ]
      : []),
    ...(process ? ownFacts(process) : []),
  ];
}

type Backlog = NonNullable<ConsoleService['backlog']>[number];

const BACKLOG: readonly Column<Backlog>[] = [
  { title: 'Kind', cell: ({ kind }) => <Text of={kind} /> },
  { title: 'Due now', align: 'end', cell: ({ due }) => count(due) },
  {
    title: 'Oldest for',
    align: 'end',
    cell: ({ due, oldestMs }) => (due === 0 ? '' : duration(Math.max(0, oldestMs))),
  },
];

/** What the process behind the console says of itself. */
function ownFacts({ memoryBytes, connections }: NonNullable<ConsoleService['process']>) {
  const open = Object.entries(connections).map(([state, n]) => `${n} ${state}`);
  return [
    { name: 'Memory', value: `${count(Math.round(memoryBytes / 2 ** 20))} MiB`, note: 'of this process' },
    ...(open.length > 0
      ? [{ name: 'Connections', value: open.join(', '), note: 'of this process, to PostgreSQL' }]
      : []),
  ];
}

type Node = NonNullable<ConsoleService['nodes']>[number];

const NODE: readonly Column<Node>[] = [
  {
    title: 'Host',
    cell: ({ host, self }) => (
      <>
        <Text of={host} /> {self && <Badge>this one</Badge>}
      </>
    ),
  },
  { title: 'Process', align: 'end', cell: ({ pid }) => pid },
  { title: 'Version', cell: ({ version }) => <Text of={version ?? 'not said'} /> },
  {
    title: 'State',
    cell: ({ silent }) => <Badge tone={silent ? 'bad' : 'good'}>{silent ? 'silent' : 'there'}</Badge>,
  },
  { title: 'Since', cell: ({ startedAt }) => <Time at={startedAt} /> },
  { title: 'Last seen', cell: ({ seenAt }) => <Time at={seenAt} /> },
];

const LEADS: Column<Node> = {
  title: 'Leads',
  cell: ({ roles }) => <Text of={roles.join(', ')} />,
};

/** Without PostgreSQL no process leads: the lock of the file serializes them. */
const columnsOf = (nodes: readonly Node[]) =>
  nodes.some(({ roles }) => roles.length > 0) ? [...NODE, LEADS] : NODE;
