import type { ComponentChildren, VNode } from 'preact';
import { about, offers } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Spark } from '../../parts/charts/spark.tsx';
import { compact, count, counted, percent } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Term } from '../../parts/term.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { Attention, useAttention } from './attention.tsx';
import { FaultsOn, onOf, useFaults } from './faults-on.tsx';
import { FirstSteps } from './first-steps.tsx';
import { type Overview, sinceLately } from './overview.ts';
import { Trends } from './trends.tsx';

/** From so many on, a count may be more (`capped`). */
const MOST_COUNTED = 20_000;

/** How often the overview is read again, in ms; rarely before a remote service, which counts each read. */
const everyMs = () => (about.value?.local ? 5_000 : 30_000);

/** What happened in the last day, what needs a person, and in a new workspace what to do first. */
export function OverviewView(): VNode {
  const overview = useResource(
    offers('getOverview') ? 'overview' : undefined,
    (signal) => call('getOverview', { signal }),
    everyMs(),
  );
  const { value, error } = overview;
  const faults = useFaults();
  const isLate = onOf(faults).some(({ rule }) => rule.fault === 'slow-answer');
  const { items, known, fails } = useAttention(value);
  return (
    <>
      <ViewHead
        title="Overview"
        summary={value && known ? summaryOf(items.length, value) : ''}
        readAt={overview.readAt}
        every={everyMs()}
        refresh={overview.reload}
      />
      {error && <Failure error={error} retry={overview.reload} />}
      <FaultsOn faults={faults} />
      <Attention items={items} />
      {!value && !error && <Loading what="the overview" />}
      {value && (
        <>
          <FirstSteps overview={value} />
          <Figures of={value} fails={fails} isLate={isLate} />
          {value.events.stored + sum(value.decisions.byHour) > 0 && <Trends />}
        </>
      )}
    </>
  );
}

/** Whether anything needs a person, and how much happened. */
function summaryOf(needed: number, { from, events, decisions, messages }: Overview): ComponentChildren {
  const [stored, decided, served] = [events.byHour, decisions.byHour, messages.servedByHour].map(sum);
  const state = needed === 0 ? 'Nothing needs you' : `${counted(needed, 'thing needs', 'things need')} you`;
  return (
    <>
      {state}; since <Time at={from} whole />{' '}
      {stored! + decided! === 0
        ? 'no event and no decision came'
        : `${compact(stored!)} events were stored, ${compact(decided!)} decisions made and ${compact(served!)} shown`}
    </>
  );
}

const sum = (hours: readonly number[]) => hours.reduce((total, n) => total + n, 0);
/** What happened in the hour before this one, and since. */
const lately = (hours: readonly number[]) => sum(hours.slice(-2));
/** Adds counts hour by hour. */
const added = (...all: readonly (readonly number[])[]) =>
  (all[0] ?? []).map((_, hour) => all.reduce((total, hours) => total + (hours[hour] ?? 0), 0));

/** The five moves of the service, each with its last day and hour. */
function Figures(props: {
  of: Overview;
  /** A receiver fails now. */
  fails: boolean;
  /** Faults delay answers, which the service does not count as its own time. */
  isLate: boolean;
}): VNode {
  const { of, fails, isLate } = props;
  const { events, decisions, messages, notifications, deliveries, capped } = of;
  const { learned, holdout, weights } = decisions.counted;
  const shown = learned + holdout + weights;
  const served = sum(messages.servedByHour);
  const { delivered, failed, held, queued, dispatched, cancelled } = notifications;
  const notified = added(queued, held, dispatched, delivered, failed, cancelled);
  const states = [
    ['delivered', delivered],
    ['held', held],
    ['failed', failed],
    ['cancelled', cancelled],
    ['on their way', added(queued, dispatched)],
  ] as const;
  const sent = added(deliveries.pending, deliveries.delivered, deliveries.failed);
  const since = sinceLately(of);
  return (
    <ul class="moves" aria-label="The five moves">
      <Move
        name="Track"
        what="events stored"
        hours={events.byHour}
        since={since}
        href="/live"
        link="Live events"
        note={`${count(events.stored)} in all`}
      />
      <Move
        name="Decide"
        what="decisions"
        hours={decisions.byHour}
        since={since}
        capped={capped}
        href="/decisions"
        link="Decisions"
        note={
          <>
            {shown === 0 ? 'none was shown yet' : `of those shown, ${percent(learned / shown)} `}
            {shown > 0 && (
              <>
                <Term of="learned" /> · {percent(holdout / shown)} <Term of="held out" />
              </>
            )}
            {decisions.latency && (
              <>
                {' · '}
                <Term of="P95" /> {duration(decisions.latency.p95Ms)}
                {decisions.latency.p99Ms !== undefined && `, P99 ${duration(decisions.latency.p99Ms)}`} of the
                latest {counted(decisions.latency.answers, 'answer')}
                {isLate && ', without the delay that faults add'}
              </>
            )}
          </>
        }
      />
      <Move
        name="Render"
        what="decisions shown"
        hours={messages.servedByHour}
        since={since}
        href="/messages"
        link="Messages"
        note={
          <>
            those that <Term of="count as served" />
            {served > 0 && (
              <>
                {' · '}
                {percent(Math.min(1, messages.rewarded / served))} <Term of="tapped" />
              </>
            )}
          </>
        }
      />
      <Move
        name="Notify"
        what="notifications"
        hours={notified}
        since={since}
        capped={capped}
        href="/notifications"
        link="Notifications"
        note={
          sum(notified) === 0
            ? 'none was triggered'
            : states
                .filter(([, hours]) => sum(hours) > 0)
                .map(([state, hours], i) => {
                  const words = `${compact(sum(hours))} ${state}`;
                  return (
                    <>
                      {i > 0 && ' · '}
                      {state === 'failed' ? (
                        <a href="/notifications?status=failed&range=day">{words}</a>
                      ) : (
                        words
                      )}
                    </>
                  );
                })
        }
      />
      <Move
        name="Webhook"
        what="deliveries"
        hours={sent}
        since={since}
        capped={capped}
        href="/webhooks?range=day"
        link="Webhooks"
        note={
          <>
            {fails && (
              <>
                <Badge tone="bad">a receiver fails</Badge>{' '}
              </>
            )}
            {deliveries.attempts === 0
              ? 'none was attempted'
              : `${percent(deliveries.attemptsSucceeded / deliveries.attempts)} of attempts succeed`}
            {deliveries.p95Ms !== null && (
              <>
                {' · '}
                <Term of="P95" /> {duration(deliveries.p95Ms)}
              </>
            )}
          </>
        }
      />
    </ul>
  );
}

function Move(props: {
  name: string;
  what: string;
  hours: readonly number[];
  /** When the hour before this one began, Unix ms. */
  since: number;
  /** True if the counts may be more. */
  capped?: boolean;
  href: string;
  link: string;
  note: ComponentChildren;
}): VNode {
  const { name, what, hours, since, capped = false, href, link, note } = props;
  const day = sum(hours);
  const more = (n: number) => (capped && n >= MOST_COUNTED ? '+' : '');
  return (
    <li class="box move">
      <h2>{name}</h2>
      <p class="big" title={`${count(day)} ${what}`}>
        {compact(day)}
        {more(day)}
      </p>
      <p>
        {what}, <strong>{compact(lately(hours)) + more(lately(hours))}</strong> since{' '}
        <Time at={since} whole />
      </p>
      <p class="note">{note}</p>
      <Spark label={`${name}: ${what} by hour, at most ${count(Math.max(0, ...hours))}`} values={hours} />
      <a href={href}>{link}</a>
    </li>
  );
}
