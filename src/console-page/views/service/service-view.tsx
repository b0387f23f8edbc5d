import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ConsoleService } from '../../../contract/console.ts';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about, offers, svcCommand } from '../../data/about.ts';
import { ask, call, reach } from '../../data/api.ts';
import { type Delay, useDelays } from '../../data/delays.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { CommandButton } from '../../parts/command.tsx';
import { Cards } from '../../parts/facts.tsx';
import { bytes, compact, count, counted, ENGINES } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { Ago, duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { backup, isBackupOld } from '../overview/items.tsx';
import { Providers } from './providers.tsx';
import { decideWords, RequestsBox } from './requests.tsx';
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
  const delays = useDelays();
  const { value, error } = service;
  // All of it comes at once, so that nothing jumps.
  const isThere = useRef(false);
  isThere.current ||= value !== undefined && (!overview.loading || overview.error !== undefined);
  return (
    <>
      <ViewHead
        title="Service"
        summary={value && isThere.current ? summaryOf(value, overview.value, delays) : ''}
        command={svcCommand('doctor')}
        readAt={service.readAt}
        every={EVERY_MS}
        refresh={service.reload}
      />
      {error && <Failure error={error} retry={service.reload} />}
      {!isThere.current && !error && <Loading what="the service" />}
      {value && isThere.current && (
        <>
          {backup(overview.value).map(({ key, what }) => (
            <section class="attention" aria-label="Needs you" key={key}>
              <h2>Needs you</h2>
              <p class="actions">
                {what} <MakeBackup />
              </p>
            </section>
          ))}
          <Cards facts={factsOf(value, overview.value)} />
          {value.requests && (
            <RequestsBox
              of={value.requests}
              byMinute={value.requestsByMinute}
              ageMs={ageOf(value)}
              delays={delays}
            />
          )}
          <Providers of={overview.value?.providers ?? []} />
          <Box
            title={value.backlog === null ? 'What waits to be sent' : dueWords(value.backlog)}
            label="Waiting"
            note="In all processes together, counted up to 10,000 of each kind. What failed and is tried again later is not among it."
          >
            {value.backlog === null ? (
              <p>{value.inside ? 'The store does not answer.' : NOT_SAID}</p>
            ) : (
              value.backlog.some(({ due }) => due > 0) && (
                <Table label="Waiting" rows={value.backlog} keyOf={({ kind }) => kind} columns={BACKLOG} />
              )
            )}
          </Box>
          <Box
            title={value.nodes === null ? 'Processes' : servingWords(value.nodes)}
            label="Processes"
            note="All that serve these data. Each reports every 15 s; one that has not for a minute is silent."
          >
            {value.nodes === null ? (
              <p>{value.inside ? 'The store does not answer.' : NOT_SAID}</p>
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

/** How long the process of the console runs, in ms; where it is not known, forever. */
function ageOf({ nodes }: ConsoleService): number {
  const own = nodes?.find(({ self }) => self);
  return own ? Date.now() - Date.parse(own.startedAt) : Infinity;
}

const isHere = () => about.value?.local && about.value.profile === 'local';

/** How long ago the last backup was made. It stands out where it needs a person. */
function LastBackup({ of }: { of: Overview }): VNode {
  const { lastBackupAt: at } = of;
  const words = at === null ? 'never' : <Ago at={at} />;
  return isBackupOld(of) ? <Badge tone="warn">{words}</Badge> : <span>{words}</span>;
}

/** The command that makes a backup. */
function MakeBackup(): VNode {
  const line = isHere() ? svcCommand('data', 'backup', 'svc.backup') : 'svc data backup svc.backup';
  return (
    <CommandButton word="Make a backup" line={line}>
      {isHere() ? 'This makes one:' : 'Where its database is, this makes one:'}
    </CommandButton>
  );
}

/** Work that waits longer than this is late, in ms. */
const LATE_MS = 60_000;

/** What is wrong or, where nothing is, what runs; and what grows. */
function summaryOf(
  { reached, ready, nodes, backlog, requests }: ConsoleService,
  overview: Overview | undefined,
  delays: readonly Delay[],
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
        ? '; no event came in the last 24 hours'
        : `; ${compact(stored)} events came in the last 24 hours`;
  const decide = requests && decideWords(requests, delays);
  if (wrong.length > 0)
    return `Something is wrong: ${wrong.join(', ')}${decide ? `; ${decide}` : ''}${grows}`;
  const runs = [nodes && servingWords(nodes), backlog && dueWords(backlog), decide].filter(Boolean);
  return `The service runs: ${runs.map((words) => lowered(words!)).join(', ') || 'it answers'}${grows}`;
}

const lowered = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);

function dueWords(backlog: readonly Backlog[]): string {
  const due = backlog.filter((each) => each.due > 0);
  if (due.length === 0) return 'Nothing waits to be sent';
  const oldest = Math.max(...due.map(({ oldestMs }) => oldestMs));
  const all = due.reduce((sum, each) => sum + each.due, 0);
  const words = due.map(({ due: n, kind }) => counted(n, SINGULAR[kind] ?? kind, kind)).join(' and ');
  return `${words} ${all === 1 ? 'waits' : 'wait'} to be sent, the oldest for ${duration(Math.max(0, oldest))}`;
}

/** One of each kind of work. */
const SINGULAR: Readonly<Record<string, string>> = { deliveries: 'delivery', notifications: 'notification' };

function servingWords(nodes: readonly Node[]): string {
  const silent = nodes.filter((node) => node.silent).length;
  const serving = counted(nodes.length - silent, 'process serves', 'processes serve');
  return silent === 0 ? serving : `${serving}, ${silent} silent`;
}

type Overview = AnswerOf<'getOverview'>;
const NOT_SAID = 'A service that is reached over the network does not say it.';

function factsOf({ reached, ready, version, channels }: ConsoleService, overview: Overview | undefined) {
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
      ? [{ name: 'Database', value: ENGINES[store.engine], note: `${bytes(store.bytes)} of all workspaces` }]
      : []),
    ...(overview
      ? [
          {
            name: 'Last backup',
            value: <LastBackup of={overview} />,
            note: isBackupOld(overview) ? undefined : <MakeBackup />,
          },
        ]
      : []),
    ...(channels
      ? [
          {
            name: 'Channels that send',
            value: channels.join(', ') || 'none',
            note: 'what goes to others is written to a file, and reaches nobody',
          },
        ]
      : []),
  ];
}

type Backlog = NonNullable<ConsoleService['backlog']>[number];

const BACKLOG: readonly Column<Backlog>[] = [
  { title: 'Kind', cell: ({ kind }) => <Text of={kind} /> },
  { title: 'Waiting', align: 'end', cell: ({ due }) => count(due) },
  {
    title: 'Oldest waits for',
    align: 'end',
    cell: ({ due, oldestMs }) => (due === 0 ? '' : duration(Math.max(0, oldestMs))),
  },
];

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
  { title: 'Process ID', align: 'end', cell: ({ pid }) => pid },
  { title: 'Version', wide: true, cell: ({ version }) => <Text of={version ?? 'not said'} /> },
  {
    title: 'State',
    cell: ({ silent }) => <Badge tone={silent ? 'bad' : 'good'}>{silent ? 'silent' : 'running'}</Badge>,
  },
  { title: 'Started', wide: true, cell: ({ startedAt }) => <Time at={startedAt} /> },
  { title: 'Last report', cell: ({ seenAt }) => <Time at={seenAt} /> },
];

const LEADS: Column<Node> = {
  title: 'Leads',
  note: 'work that one process does for all',
  cell: ({ roles }) => <Text of={roles.join(', ')} />,
};

/** Without PostgreSQL no process leads: the lock of the file serializes them. */
const columnsOf = (nodes: readonly Node[]) =>
  nodes.some(({ roles }) => roles.length > 0) ? [...NODE, LEADS] : NODE;
