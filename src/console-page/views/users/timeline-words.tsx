import type { ComponentChildren, VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { search } from '../../data/api.ts';
import { Badge } from '../../parts/badge.tsx';
import { Facts } from '../../parts/facts.tsx';
import type { IconName } from '../../parts/icons.tsx';
import { outcomeWord } from '../../parts/message-life.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Text } from '../../parts/text.tsx';
import { dayWords, Time } from '../../parts/time.tsx';
import type { TimelineItem } from '../../parts/timeline.tsx';
import { propertyText } from '../live/property-text.ts';
import { failureWords, historyWords, reasonWords } from '../notifications/notification-words.ts';

export type Entry = AnswerOf<'getUserTimeline'>['items'][number];

const ICONS: Readonly<Record<Entry['kind'], IconName>> = {
  event: 'live',
  decision: 'decision',
  message: 'message',
  outcome: 'check',
  notification: 'bell',
};

/** The entries of a timeline in words. A message stands in the line of its decision, where both are there, and a run of one event in one; with `mixed` also a long run of several, between which all else would be lost. */
export function timelineItems(entries: readonly Entry[], hashId: string, mixed = false): TimelineItem[] {
  const messages = new Map(
    entries.filter(({ kind }) => kind === 'message').map((entry) => [entry.id, entry]),
  );
  const decided = new Set(entries.filter(({ kind }) => kind === 'decision').map(({ id }) => id));
  const shown = entries.filter(({ kind, id }) => kind !== 'message' || !decided.has(id));
  const isRun = (run: readonly Entry[]) =>
    run.length >= (run.every(({ event }) => event === run[0]!.event) ? SHORTEST_RUN : SHORTEST_MIXED);
  // Of a short run of several, those of one name are still one line.
  const runs = runsOf(shown, mixed).flatMap((run) => (isRun(run) ? [run] : runsOf(run, false)));
  return runs.flatMap((run, index) =>
    !isRun(run)
      ? run.map((entry) =>
          timelineItem(entry, index, hashId, entry.kind === 'decision' ? messages.get(entry.id) : undefined),
        )
      : runItem(run),
  );
}

/** From so many on, events of one name that follow each other are one line. */
const SHORTEST_RUN = 3;
/** The same of events of several names. */
const SHORTEST_MIXED = 6;
/** Names of events that the line of a run has. */
const MOST_NAMES = 3;

/** Splits entries where the kind, the name of the event unless they are `mixed`, or the day changes; what is not an event stands alone. */
function runsOf(entries: readonly Entry[], mixed: boolean): Entry[][] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    const before = last?.[0];
    if (
      before?.kind === 'event' &&
      entry.kind === 'event' &&
      (mixed || before.event === entry.event) &&
      dayWords(before.at) === dayWords(entry.at)
    )
      last!.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

/** The names of the events of a run, each with how often it happened, the most frequent first. */
function RunTitle({ of }: { of: readonly Entry[] }): VNode {
  const counts = new Map<string, number>();
  for (const { event = '' } of of) counts.set(event, (counts.get(event) ?? 0) + 1);
  const names = [...counts].sort((a, b) => b[1] - a[1]);
  if (names.length === 1)
    return (
      <>
        <Text of={names[0]![0]} /> {counted(of.length, 'time')}
      </>
    );
  return (
    <>
      {names.slice(0, MOST_NAMES).map(([name, n], i) => (
        <>
          {i > 0 && ', '}
          <Text of={name} /> {count(n)}
        </>
      ))}
      {names.length > MOST_NAMES && ` and ${counted(names.length - MOST_NAMES, 'other name')}`}
    </>
  );
}

/** Events as one line, which opens. */
function runItem(run: readonly Entry[]): TimelineItem {
  const [newest, oldest] = [run[0]!, run.at(-1)!];
  const isMixed = run.some(({ event }) => event !== newest.event);
  return {
    key: `run ${oldest.id}`,
    at: newest.at,
    icon: ICONS.event,
    kind: 'event',
    title: <RunTitle of={run} />,
    body: (
      <details>
        <summary>
          {isMixed && `${counted(run.length, 'event')} `}from <Time at={oldest.at} ofDay /> to{' '}
          <Time at={newest.at} ofDay />
        </summary>
        <ol class="run">
          {run.map((entry) => (
            <li key={entry.id}>
              <Time at={entry.at} millis ofDay /> {isMixed && <Text of={entry.event ?? ''} />}{' '}
              {propertiesOf(entry)}
            </li>
          ))}
        </ol>
      </details>
    ),
  };
}

/** A decision, from which Escape leads back to its user. */
const decisionPath = (id: string, hashId: string) =>
  `/decisions/${encodeURIComponent(id)}${search({ hashId, from: 'user' })}`;

/** An entry of the timeline in words, with a link to what it belongs to; `message` is that of a decision. */
function timelineItem(entry: Entry, index: number, hashId: string, message: Entry | undefined): TimelineItem {
  return {
    key: `${entry.kind} ${entry.id} ${entry.at} ${index}`,
    at: entry.at,
    icon: entry.status === 'failed' ? 'warn' : entry.outcome === 'dismissed' ? 'close' : ICONS[entry.kind],
    kind: entry.kind,
    ...words(entry, hashId, message),
  };
}

function words(
  entry: Entry,
  hashId: string,
  message: Entry | undefined,
): { title: ComponentChildren; body?: ComponentChildren } {
  const decision = decisionPath(entry.id, hashId);
  const notification = `/notifications/${encodeURIComponent(entry.id)}`;
  switch (entry.kind) {
    case 'event':
      return { title: <Text of={entry.event ?? ''} />, body: propertiesOf(entry) };
    case 'decision':
      return {
        title: <a href={decision}>{entry.contentId ? <Text of={entry.contentId} /> : 'no action'}</a>,
        body: (
          <>
            <Text of={Object.values(entry.context ?? {}).join(' · ')} />
            {entry.reward !== null && entry.reward !== undefined && entry.reward > 0 && (
              <>
                {' '}
                <Badge tone="good">earned {Number(entry.reward.toFixed(3))}</Badge>
              </>
            )}
            {message && (
              <>
                {' · '}
                <MessageWords of={message} />
              </>
            )}
          </>
        ),
      };
    case 'message':
      return {
        title: (
          <a href={decision}>
            <Text of={entry.title ?? entry.contentId ?? ''} />
          </a>
        ),
        body: <MessageWords of={entry} />,
      };
    case 'outcome':
      return {
        title: (
          <a href={entry.of === 'notification' ? notification : decision}>
            {outcomeWord(entry.outcome ?? '')}
          </a>
        ),
        body: <Text of={`the ${entry.of ?? 'message'} ${entry.contentId ?? entry.templateId ?? ''}`} />,
      };
    case 'notification':
      return {
        title: (
          <a href={notification}>
            <Text of={entry.templateId ?? ''} />
          </a>
        ),
        body: (
          <>
            <Text
              of={[
                entry.channel,
                historyWords(entry),
                entry.reason && (failureWords(entry.reason) ?? reasonWords(entry)),
              ]
                .filter(Boolean)
                .join(' · ')}
            />
            {entry.heldUntil !== undefined && (
              <>
                {' until '}
                <Time at={entry.heldUntil} />
              </>
            )}
          </>
        ),
      };
  }
}

/** What became of a message. */
function MessageWords({ of: { format, surface, servedAt } }: { of: Entry }): VNode {
  return (
    <>
      {format}
      {surface && (
        <>
          {' on '}
          <Text of={surface} />
        </>
      )}
      ,{' '}
      {servedAt ? (
        <>
          first served at <Time at={servedAt} />
        </>
      ) : (
        'waits for the app'
      )}
    </>
  );
}

/** Properties that are shown of an event before it is opened, and characters of them. */
const MOST_SHOWN = 4;
const LONGEST = 100;

/** The properties of an event on one line, which opens where there is more of them; undefined where it has none. */
function propertiesOf({ properties = {}, leftOut }: Entry): VNode | undefined {
  if (leftOut !== undefined) return <>properties of {count(leftOut)} bytes, which are not shown</>;
  const all = Object.entries(properties).map(([name, value]) => [name, propertyText(value)] as const);
  if (all.length === 0) return undefined;
  const fits = all.length <= MOST_SHOWN && all.flat().join('').length <= LONGEST;
  const line = all.slice(0, MOST_SHOWN).map(([name, value], i) => (
    <>
      {i > 0 && ' · '}
      <Text of={name.slice(0, LONGEST)} />{' '}
      <strong>
        <Text of={value.slice(0, LONGEST)} />
      </strong>
    </>
  ));
  if (fits) return <>{line}</>;
  return (
    <details>
      <summary>
        {line}
        {all.length > MOST_SHOWN && ` · and ${all.length - MOST_SHOWN} more`}
      </summary>
      <Facts facts={all.map(([name, value]) => ({ name: <Text of={name} />, value: <Text of={value} /> }))} />
    </details>
  );
}
