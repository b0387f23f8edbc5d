import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ConsoleLimits, ConsoleService } from '../../../contract/console.ts';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about, offers, svcCommand } from '../../data/about.ts';
import { ask, call, reach } from '../../data/api.ts';
import { type Delay, useDelays } from '../../data/delays.ts';
import { isMeasured } from '../../data/measured.ts';
import { useRefused } from '../../data/refused.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { CommandButton } from '../../parts/command.tsx';
import { Cards, type Fact } from '../../parts/facts.tsx';
import { bytes, compact, count, counted, ENGINES, percent } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { Ago, duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { NEARLY, shareOf } from '../limits/limit-words.ts';
import { RefusedBox } from '../notifications/refused.tsx';
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
  const limits = useResource('limits', (signal) => ask<ConsoleLimits>('limits', { signal }), EVERY_MS);
  const delays = useDelays();
  const refused = useRefused();
  const { value, error } = service;
  // All of it comes at once, so that nothing jumps.
  const isThere = useRef(false);
  isThere.current ||=
    value !== undefined &&
    [overview, limits].every(({ loading, error: failed }) => !loading || failed !== undefined);
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
          <Cards facts={healthOf(value, overview.value, limits.value)} />
          {value.requests && (
            <RequestsBox
              of={value.requests}
              byMinute={value.requestsByMinute}
              ageMs={ageOf(value)}
              delays={delays}
            />
          )}
          {refused && <RefusedBox of={refused} what="request" />}
          <Providers of={overview.value?.providers ?? []} />
          <Box
            title={value.nodes === null ? 'Processes' : servingWords(value.nodes)}
            label="Processes"
            note="Each reports every 15 s; one that has not for a minute is silent."
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
          <div class="stack">
            <h2>What runs here</h2>
            <Cards facts={factsOf(value)} />
          </div>
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

const HOUR_MS = 3_600_000;

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

const oldestOf = (due: readonly Backlog[]) => Math.max(0, ...due.map(({ oldestMs }) => oldestMs));
const sumOf = (due: readonly Backlog[]) => due.reduce((sum, each) => sum + each.due, 0);

/** How much is due, or waits for later: `2 deliveries wait`. Empty for nothing. */
function waitWords(backlog: readonly Backlog[], of: 'due' | 'later'): string {
  const some = backlog.filter((each) => each[of] > 0);
  const words = some.map(({ [of]: n, kind }) => counted(n, SINGULAR[kind] ?? kind, kind)).join(' and ');
  return words && `${words} ${some.length === 1 && some[0]![of] === 1 ? 'waits' : 'wait'}`;
}

/** What waits for a retry or a time. Empty for nothing. */
function laterWords(backlog: readonly Backlog[]): string {
  const words = waitWords(backlog, 'later');
  return words && `${words} for a retry or a set time`;
}

function dueWords(backlog: readonly Backlog[]): string {
  const [due, later] = [waitWords(backlog, 'due'), laterWords(backlog)];
  const now = due
    ? `${due} to be sent, the oldest for ${duration(oldestOf(backlog))}`
    : `Nothing ${later ? 'is due' : 'waits to be sent'}`;
  return later ? `${now}, ${later}` : now;
}

/** One of each kind of work. */
const SINGULAR: Readonly<Record<string, string>> = { deliveries: 'delivery', notifications: 'notification' };

function servingWords(nodes: readonly Node[]): string {
  const silent = nodes.filter((node) => node.silent).length;
  const serving = counted(nodes.length - silent, 'process serves', 'processes serve');
  return silent === 0 ? serving : `${serving}, ${silent} silent`;
}

type Overview = AnswerOf<'getOverview'>;
const NOT_SAID = 'Not known of a remote service.';

/** Whether it is healthy and, if not, what fails, is slow or is full. */
function healthOf(
  service: ConsoleService,
  overview: Overview | undefined,
  limits: ConsoleLimits | undefined,
): readonly Fact[] {
  const { reached, ready, requests, backlog } = service;
  const failed = (requests ?? []).reduce((sum, each) => sum + each.failed, 0);
  const all = (requests ?? []).reduce((sum, each) => sum + each.requests, 0);
  const [slowest] = (requests ?? [])
    .filter(isMeasured)
    .sort((one, other) => other.latency!.p95Ms - one.latency!.p95Ms);
  const due = (backlog ?? []).filter((each) => each.due > 0);
  const oldest = oldestOf(due);
  const later = laterWords(backlog ?? []);
  const [fullest] = (limits?.groups ?? [])
    .flatMap((of) => (shareOf(of) === undefined ? [] : [{ ...of, share: shareOf(of)! }]))
    .sort((one, other) => other.share - one.share);
  return [
    {
      name: 'State',
      value: !reached ? (
        <Badge tone="bad">does not answer</Badge>
      ) : ready === null ? (
        <Badge>answers</Badge>
      ) : (
        <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
      ),
      note: [fullest && fullest.share >= 1 && `the limit of ${fullest.group} is used up`, later]
        .filter(Boolean)
        .join(', '),
    },
    ...(requests
      ? [
          {
            name: 'Failed requests',
            value: failed === 0 ? 'none' : <Badge tone="bad">{count(failed)}</Badge>,
            note: `of ${count(all)} ${ageOf(service) < HOUR_MS ? 'since this process began' : 'in the last hour'}`,
          },
          {
            name: 'Slowest endpoint',
            value: slowest ? `${duration(slowest.latency!.p95Ms)} for 95 %` : 'not known',
            note: slowest ? slowest.endpoint : 'too few requests of each',
          },
        ]
      : []),
    ...(backlog
      ? [
          {
            name: 'Waiting to be sent',
            value:
              due.length === 0 ? (
                `nothing${later && ' now'}`
              ) : oldest > LATE_MS ? (
                <Badge tone="bad">late by {duration(oldest)}</Badge>
              ) : (
                count(sumOf(due))
              ),
            note: due.length > 0 ? dueWords(backlog!) : later || 'in all processes',
          },
        ]
      : []),
    ...(fullest
      ? [
          {
            name: 'Fullest limit',
            value:
              fullest.share >= NEARLY ? (
                <Badge tone="warn">{percent(fullest.share)}</Badge>
              ) : (
                percent(fullest.share)
              ),
            note: (
              <a href="/limits">
                {fullest.group}: {count(fullest.used!)} of {count(fullest.limit!)}
              </a>
            ),
          },
        ]
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
  ];
}

/** What runs, of which version, on which data. */
function factsOf({ version, channels }: ConsoleService): readonly Fact[] {
  const { store = null, workspace, version: own = '' } = about.value ?? {};
  return [
    { name: 'Version', value: <Text of={version ?? 'unknown'} /> },
    ...(own === version ? [] : [{ name: 'Version of svc', value: <Text of={own} /> }]),
    {
      name: 'Workspace',
      value: <Id of={workspace?.id ?? ''} short={15} />,
      note: [workspace?.mode, workspace?.region].filter(Boolean).join(' · ') || undefined,
    },
    ...(store
      ? [{ name: 'Database', value: ENGINES[store.engine], note: `${bytes(store.bytes)} of all workspaces` }]
      : []),
    ...(channels
      ? [
          {
            name: 'Channels that send',
            value: channels.join(', ') || 'none',
            note: 'others write to a file, and reach nobody',
          },
        ]
      : []),
  ];
}

type Backlog = NonNullable<ConsoleService['backlog']>[number];

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
  { title: 'Version', wide: true, cell: ({ version }) => <Text of={version ?? 'unknown'} /> },
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
