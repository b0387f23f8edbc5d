import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { WatchGap } from '../../../contract/schemas/events.ts';
import { parseFilter, writeTerm } from '../../../kit/event-filter/parse.ts';
import { MASKED } from '../../../kit/personal-data.ts';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { reach } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { Chart, Legend } from '../../parts/chart.tsx';
import { useDocumentKey } from '../../parts/focus/document-key.ts';
import { Icon } from '../../parts/icons.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Cut } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { EventList } from './event-list.tsx';
import { EventPanel } from './event-panel.tsx';
import { FilterBox, isTyping } from './filter-box.tsx';
import { type FeedState, type LiveEvent, LiveFeed, LOOKED_THROUGH, MAX_ROWS, NOTHING } from './live-feed.ts';
import { columnsOf, lastSecond, type Rates } from './rates.ts';

/** The events of the workspace as they arrive: /live?filter=… */
export function LiveView(): VNode {
  const filters = useFilters();
  const filter = filters.values.filter ?? '';
  const parsed = parseFilter(filter);
  const { feed, state, refiltered } = useFeed(parsed.ok ? filter : undefined);
  const [chosen, setChosen] = useState<LiveEvent>();
  const { paused } = state;
  const pause = (value: boolean) => feed.current?.setPaused(value);
  const apply = (next: string, replace?: boolean) =>
    next !== filter && filters.set({ filter: next }, replace);

  useDocumentKey((event) => {
    if (event.key !== ' ' || isTyping()) return;
    event.preventDefault();
    feed.current?.setPaused(!feed.current.state.paused);
  });

  const plot = useMemo(
    () => <RatePlot rates={state.rates} filtered={filter !== ''} since={state.since} />,
    [state.rates, filter],
  );
  const close = () => setChosen(undefined);
  return (
    <>
      <ViewHead
        title="Live events"
        summary={<Summary state={state} filtered={filter !== ''} refiltered={refiltered} />}
        command={svcCommand('events', 'tail', ...flagsOf({ filter }))}
        actions={
          <>
            <button type="button" class={paused ? 'primary' : undefined} onClick={() => pause(!paused)}>
              <Icon name={paused ? 'play' : 'pause'} />{' '}
              {paused
                ? `Resume${state.waiting > 0 ? `, ${counted(state.waiting, 'new event')}` : ''}`
                : 'Pause'}
            </button>
            <button type="button" onClick={() => feed.current?.clear()}>
              <Icon name="trash" /> Clear
            </button>
          </>
        }
      />
      {plot}
      <FilterBox filter={filter} apply={apply} />
      <Notices state={state} />
      {state.rows.length === 0 && state.connection === 'ended' ? null : state.rows.length === 0 &&
        !state.looked ? (
        <Loading what="the latest events" />
      ) : state.rows.length === 0 ? (
        <Empty
          title={emptyTitle(filter, state)}
          {...(filter === '' && {
            command: svcCommand('events', 'send', '--user-id', 'u_1', '--event', 'test'),
          })}
        >
          <p>
            {filter === ''
              ? 'Events are shown as they arrive. Send one:'
              : 'Those that match are shown as they arrive.'}
          </p>
        </Empty>
      ) : (
        <>
          <Mix rows={state.rows} filterBy={(term) => apply(`${filter} ${term}`.trim())} />
          <EventList
            rows={state.rows}
            current={chosen?.id}
            held={() => pause(true)}
            open={(event) => {
              pause(true);
              setChosen(event);
            }}
          />
        </>
      )}
      {chosen && (
        <EventPanel
          key={chosen.id}
          event={chosen}
          close={close}
          filterBy={(term) => {
            close();
            apply(`${filter} ${term}`.trim());
          }}
        />
      )}
    </>
  );
}

/** Follows a filter while the view is open; undefined follows nothing. `refiltered`: it is not the first one. */
function useFeed(filter: string | undefined) {
  const feed = useRef<LiveFeed | undefined>(undefined);
  const [state, setState] = useState(NOTHING);
  const filters = useRef(0);
  useEffect(() => {
    filters.current++;
    const { rates } = feed.current?.state ?? NOTHING;
    if (filter === undefined) return setState({ ...NOTHING, rates });
    const followed = new LiveFeed(filter, rates, () => setState(followed.state));
    setState(followed.state);
    feed.current = followed;
    return () => followed.stop();
  }, [filter]);
  return { feed, state, refiltered: filters.current > 1 };
}

/** Names of events that are counted by name. */
const MOST_NAMES = 6;

/** What the events of the list are, by name; each is a filter. */
function Mix({ rows, filterBy }: { rows: readonly LiveEvent[]; filterBy: (term: string) => void }): VNode {
  const counts = new Map<string, number>();
  for (const { event } of rows) counts.set(event, (counts.get(event) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  // A single other one is named too.
  const named = sorted.slice(0, counts.size === MOST_NAMES + 1 ? counts.size : MOST_NAMES);
  return (
    <p class="mix note">
      {'In the list: '}
      {named.map(([event, n]) => (
        <button type="button" disabled={event === MASKED} onClick={() => filterBy(writeTerm('event', event))}>
          <Cut of={event} /> {percent(n / rows.length)}
        </button>
      ))}
      {counts.size > named.length && `and ${count(counts.size - named.length)} other names`}
    </p>
  );
}

function RatePlot(props: { rates: Rates; filtered: boolean; since: string | undefined }): VNode {
  const { rates, filtered, since } = props;
  const { times, received, matched } = columnsOf(rates);
  const last = lastSecond(rates);
  const most = Math.max(0, ...rates.slice(0, -1).map((rate) => rate.received));
  const words = last
    ? `${counted(last.received, 'event')} received and ${count(last.matched ?? 0)} matched in the last second`
    : 'No second has been counted yet';
  const all = { label: 'received', values: received, fill: true };
  const lines = filtered ? [all, { label: 'matched', values: matched, tone: 'second' as const }] : [all];
  return (
    <section class="box rates" aria-label="Events a second">
      <h2>
        {last && most === 0
          ? 'No event arrives now'
          : last
            ? `${counted(last.received, 'event')} in the last second${filtered && last.matched !== null ? `, ${count(last.matched)} match` : ''}; peak of the last ${spanWords(rates)}: ${count(most)}`
            : 'Events a second'}
        {filtered && since !== undefined && (
          <>
            ; the filter counts since <Time at={since} />
          </>
        )}
      </h2>
      <Chart label={`Events a second: ${words}.`} times={times} lines={lines} height={72} whole />
      <Legend lines={lines} of="events a second" />
    </section>
  );
}

/** How long the plot is: `two minutes`, or fewer while less is known. */
function spanWords(rates: Rates): string {
  const seconds = (rates.at(-1)?.second ?? 0) - (rates[0]?.second ?? 0);
  return seconds >= 119 ? 'two minutes' : counted(seconds, 'second');
}

const CONNECTIONS = {
  connecting: 'connecting',
  open: 'live',
  lost: 'connection lost, resuming',
  hidden: 'closed while hidden, resuming',
  ended: 'ended',
} as const;

function Summary(props: { state: FeedState; filtered: boolean; refiltered: boolean }): VNode {
  const { state, filtered, refiltered } = props;
  const { connection, paused, total, rows } = state;
  const isLive = connection === 'open' && !paused;
  return (
    <>
      <span role="status">
        <span class={`light ${isLive ? 'good' : 'warn'}`} aria-hidden="true" />{' '}
        {connection === 'open' && paused
          ? 'paused'
          : connection === 'lost' && reach.value === 'stopped'
            ? 'ended with the console'
            : CONNECTIONS[connection]}
      </span>
      {' · '}
      <strong>{count(rows.length)}</strong> shown ·{' '}
      <strong>{state.stored === undefined ? '–' : count(state.stored)}</strong> stored in all · since{' '}
      {refiltered ? 'the filter was changed' : 'this view was opened'}{' '}
      <strong>{count(total.received)}</strong> received
      {filtered && (
        <>
          , <strong>{count(total.matched)}</strong> matched
        </>
      )}
    </>
  );
}

const emptyTitle = (filter: string, { stored = 0, cleared }: FeedState): string =>
  stored === 0
    ? 'No events yet.'
    : filter === '' || cleared
      ? 'The list was cleared, or its events were removed.'
      : `None of the latest ${counted(Math.min(stored, LOOKED_THROUGH), 'event')} matches.`;

/** What a reader must know to read the list right: that it is sampled, cut or was interrupted. */
function Notices({ state }: { state: FeedState }): VNode | null {
  const { connection, error, rates, resumed, gaps, paused, waiting } = state;
  const last = lastSecond(rates);
  const notices: (string | false | undefined)[] = [
    last &&
      last.matched !== null &&
      last.matched > last.shown &&
      `Sampled: ${count(last.shown)} of the ${counted(last.matched, 'event')} that matched in the last second are shown. A narrower filter shows each of its matches.`,
    last &&
      last.untested > 0 &&
      `Too many events may match: ${count(last.untested)} of the last second were not compared with the filter. Add a user or an event name to it.`,
    paused && waiting > MAX_ROWS && `Only the newest ${count(MAX_ROWS)} of the waiting events are kept.`,
    connection === 'lost' &&
      reach.value !== 'stopped' &&
      'The stream was lost. It resumes after the last event, so that none is missed.',
    connection !== 'lost' &&
      resumed > 0 &&
      `The stream was lost ${resumed === 1 ? 'once' : `${count(resumed)} times`}, and resumed after the last event.`,
    ...gaps.map(gapWords),
  ];
  const said = notices.filter((notice) => typeof notice === 'string');
  if (connection === 'ended' && error) return <Failure error={error} />;
  if (said.length === 0) return null;
  return (
    <ul class="live-notices">
      {said.map((notice) => (
        <li>{notice}</li>
      ))}
    </ul>
  );
}

const GAP_WORDS: Readonly<Record<WatchGap['reason'], string>> = {
  removed: 'they were deleted meanwhile',
  behind: 'too many events arrived while the stream was lost',
  reset: 'the data of the service was replaced',
};

const gapWords = ({ from, to, reason }: WatchGap) =>
  `The events ${count(Number(from))} to ${count(Number(to))} cannot be shown: ${GAP_WORDS[reason]}.`;
