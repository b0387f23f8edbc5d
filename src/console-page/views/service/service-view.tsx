import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ConsoleService } from '../../../contract/console.ts';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about, offers, svcCommand } from '../../data/about.ts';
import { ask, call, reach } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { Cards } from '../../parts/facts.tsx';
import { bytes, compact, count, counted, ENGINES } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { FaultsOn, onOf, useFaults } from '../overview/faults-on.tsx';
import { isBackupOld } from '../overview/items.tsx';
import { RequestsBox } from './requests.tsx';
import { StoredData } from './stored-data.tsx';

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
  const faults = useFaults();
  const { value, error } = service;
  // All of it comes at once, so that nothing jumps.
  const isThere = useRef(false);
  isThere.current ||= value !== undefined && (!overview.loading || overview.error !== undefined);
  return (
    <>
      <ViewHead
        title="Service"
        summary={value && isThere.current ? summaryOf(value, overview.value) : ''}
        command={svcCommand('doctor')}
        readAt={service.readAt}
        every={EVERY_MS}
        refresh={service.reload}
      />
      {error && <Failure error={error} retry={service.reload} />}
      <FaultsOn faults={faults} />
      {!isThere.current && !error && <Loading what="the service" />}
      {value && isThere.current && (
        <>
          <OldBackup overview={overview.value} />
          <Cards facts={factsOf(value, overview.value)} />
          {value.requests && (
            <RequestsBox
              of={value.requests}
              faults={onOf(faults).some(({ place }) => place === 'requests')}
            />
          )}
          <Providers of={overview.value?.providers ?? []} />
          <Box
            title={value.backlog === null ? 'Due work' : dueWords(value.backlog)}
            label="Due work"
            note="What waits for the workers of all nodes now, counted up to 10,000; what is tried again later is not in it."
          >
            {value.backlog === null ? (
              <p>{value.process === null ? NOT_SAID : 'The store does not answer.'}</p>
            ) : (
              <Table label="Due work" rows={value.backlog} keyOf={({ kind }) => kind} columns={BACKLOG} />
            )}
          </Box>
          <Box
            title={value.nodes === null ? 'Processes' : servingWords(value.nodes)}
            label="Processes"
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
          {value.data !== null && <StoredData of={value.data} />}
        </>
      )}
    </>
  );
}

/** That there is no backup, or an old one, with the command that makes one. */
function OldBackup({ overview }: { overview: Overview | undefined }): VNode | null {
  if (!overview || !isBackupOld(overview)) return null;
  const { lastBackupAt } = overview;
  const isHere = about.value?.local && about.value.profile === 'local';
  return (
    <section class="attention" aria-label="Backup">
      <h2>Backup</h2>
      <div>
        <p>
          {lastBackupAt === null ? (
            'No backup was ever made.'
          ) : (
            <>
              The last backup was made <Time at={lastBackupAt} />.
            </>
          )}{' '}
          {isHere ? 'This makes one:' : 'Where its database is, this makes one:'}
        </p>
        <Command
          line={isHere ? svcCommand('data', 'backup', 'svc.backup') : 'svc data backup svc.backup'}
          label="make a backup"
        />
      </div>
    </section>
  );
}

/** Work that waits longer than this is late, in ms. */
const LATE_MS = 60_000;

/** What is wrong or, where nothing is, what runs; and what grows. */
function summaryOf(
  { reached, ready, nodes, backlog }: ConsoleService,
  overview: Overview | undefined,
): string {
  if (!reached) return 'The service does not answer';
  const late = (backlog ?? []).filter(({ due, oldestMs }) => due > 0 && oldestMs > LATE_MS);
  const silent = (nodes ?? []).filter((node) => node.silent).length;
  const { lastBackupAt = '', providers = [], events } = overview ?? {};
  const failing = providers.filter(({ waiting }) => waiting > 0);
  const isOld = overview !== undefined && isBackupOld(overview);
  const wrong = [
    ready === false && 'it is not ready',
    silent > 0 && `${counted(silent, 'process is', 'processes are')} silent`,
    ...late.map(({ kind, oldestMs }) => `${kind} wait for ${duration(oldestMs)}`),
    ...failing.map(({ channel }) => `the provider of ${channel} fails`),
    isOld && (lastBackupAt === null ? 'no backup was ever made' : 'the last backup is old'),
  ].filter((words) => typeof words === 'string');
  const stored = events?.byHour.reduce((sum, n) => sum + n, 0);
  const grows =
    stored === undefined
      ? ''
      : stored === 0
        ? '; no event came in this hour and the 23 before'
        : `; ${compact(stored)} events came in this hour and the 23 before`;
  if (wrong.length > 0) return `Something is wrong: ${wrong.join(', ')}${grows}`;
  return `The service runs: ${[nodes && servingWords(nodes), backlog && dueWords(backlog)].filter(Boolean).join(', ').toLowerCase() || 'the service answers'}${grows}`;
}

function dueWords(backlog: readonly Backlog[]): string {
  const due = backlog.filter((each) => each.due > 0);
  if (due.length === 0) return 'No work is due';
  const oldest = Math.max(...due.map(({ oldestMs }) => oldestMs));
  const all = due.reduce((sum, each) => sum + each.due, 0);
  const words = due.map(({ due: n, kind }) => counted(n, SINGULAR[kind] ?? kind, kind)).join(' and ');
  return `${words} ${all === 1 ? 'is' : 'are'} due, the oldest for ${duration(Math.max(0, oldest))}`;
}

/** One of each kind of work. */
const SINGULAR: Readonly<Record<string, string>> = { deliveries: 'delivery', notifications: 'notification' };

function servingWords(nodes: readonly Node[]): string {
  const silent = nodes.filter((node) => node.silent).length;
  const serving = counted(nodes.length - silent, 'process serves', 'processes serve');
  return silent === 0 ? serving : `${serving}, ${silent} silent`;
}

function providerWords(providers: readonly Provider[]): string {
  const failing = providers.filter(({ waiting }) => waiting > 0).map(({ channel }) => channel);
  return failing.length === 0
    ? 'No provider fails'
    : `The ${failing.length === 1 ? 'provider' : 'providers'} of ${failing.join(', ')} ${failing.length === 1 ? 'fails' : 'fail'}`;
}

/** When each provider last took a notification. Nothing for a test workspace, which calls none. */
function Providers({ of }: { of: readonly Provider[] }): VNode | null {
  if (of.length === 0) return null;
  return (
    <Box
      title={providerWords(of)}
      label="Providers"
      note="as far as the latest 200 notifications of each state say"
    >
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
      value: <Id of={workspace?.id ?? ''} short={15} />,
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
          },
        ]
      : []),
    ...(channels
      ? [
          {
            name: 'Channels with a provider',
            value: channels.join(', ') || 'none',
            note: 'messages of the others are kept in the outbox, and not sent',
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
    title: 'Oldest waits',
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
  note: 'work that one process does for all',
  cell: ({ roles }) => <Text of={roles.join(', ')} />,
};

/** Without PostgreSQL no process leads: the lock of the file serializes them. */
const columnsOf = (nodes: readonly Node[]) =>
  nodes.some(({ roles }) => roles.length > 0) ? [...NODE, LEADS] : NODE;
