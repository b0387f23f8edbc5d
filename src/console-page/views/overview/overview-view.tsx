import type { ComponentChildren, VNode } from 'preact';
import { about, offers } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { type Delay, delayOf, useDelays } from '../../data/delays.ts';
import { isMeasured } from '../../data/measured.ts';
import { type Refused, useRefused } from '../../data/refused.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Spark } from '../../parts/charts/spark.tsx';
import { compact, count, counted, percent } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Term } from '../../parts/term.tsx';
import { Cut } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { deliveredWords } from '../notifications/notification-words.ts';
import { Attention, useAttention } from './attention.tsx';
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
  const refused = useRefused('trigger');
  const { items, known, fails } = useAttention(value, refused);
  const delay = delayOf(useDelays(), 'decide');
  return (
    <>
      <ViewHead
        title="Overview"
        summary={known ? summaryOf(items.length) : ''}
        readAt={overview.readAt}
        every={everyMs()}
        refresh={overview.reload}
      />
      {error && <Failure error={error} retry={overview.reload} />}
      <Attention items={items} />
      {!value && !error && <Loading what="the overview" />}
      {value && (
        <>
          <FirstSteps overview={value} />
          <div class="toolbar">
            <h2>This hour and the 23 before</h2>
            <span class="note">
              from <Time at={value.from} whole /> until now; ▲ and ▼ compare with the same time a day earlier
            </span>
          </div>
          <Figures of={value} fails={fails} delay={delay} refused={refused} />
          {value.events.stored + sum(value.decisions.byHour) > 0 && <Trends />}
        </>
      )}
    </>
  );
}

/** Whether anything needs a person. */
const summaryOf = (needed: number): string =>
  needed === 0 ? 'Nothing needs you' : `${counted(needed, 'thing needs', 'things need')} you`;

const sum = (hours: readonly number[]) => hours.reduce((total, n) => total + n, 0);
/** What happened in the hour before this one, and since. */
const lately = (hours: readonly number[]) => sum(hours.slice(-2));
/** Adds counts hour by hour. */
const added = (...all: readonly (readonly number[])[]) =>
  (all[0] ?? []).map((_, hour) => all.reduce((total, hours) => total + (hours[hour] ?? 0), 0));

/** The five moves of the service, each with its last day and hour. */
function Figures(props: {
  of: Overview;
  /** A receiver is failing. */
  fails: boolean;
  /** A fault answers decisions late, which the service does not count as its own time. */
  delay: Delay | undefined;
  /** Triggers of notifications that were refused. */
  refused: Refused | undefined;
}): VNode {
  const { of, fails, delay, refused } = props;
  const { before, events, decisions, messages, notifications, deliveries, capped } = of;
  const { learned, holdout, weights } = decisions.counted;
  const shown = learned + holdout + weights;
  const served = sum(messages.servedByHour);
  const { delivered, failed, held, queued, dispatched, cancelled } = notifications;
  const notified = added(queued, held, dispatched, delivered, failed, cancelled);
  const states = [
    [deliveredWords(), delivered],
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
        before={before.events}
        since={since}
        href="/live"
        link="Live events"
        notes={[`${compact(events.stored)} in all`]}
      />
      <Move
        name="Decide"
        what="decisions"
        hours={decisions.byHour}
        before={before.decisions}
        since={since}
        capped={capped}
        href="/decisions"
        link="Decisions"
        notes={[
          delay && (
            <a href="/faults">
              {delay.always ? '' : 'some '}answers {duration(delay.delayMs)} later by a fault
            </a>
          ),
          decisions.latency && (
            <>
              {delay && 'without it, '}
              <Term of="P95" />{' '}
              {isMeasured(decisions)
                ? `${duration(decisions.latency.p95Ms)}${
                    decisions.latency.p99Ms === undefined ? '' : `, P99 ${duration(decisions.latency.p99Ms)}`
                  } of the latest`
                : 'too few:'}{' '}
              {counted(decisions.latency.answers, 'answer')} since the service started
            </>
          ),
        ]}
      />
      <Move
        name="Render"
        what={<Term of="count as served" word="decisions shown" />}
        hours={messages.servedByHour}
        since={since}
        href="/messages"
        link="Messages"
        notes={[
          served > 0 && `${percent(Math.min(1, messages.rewarded / served))} acted on`,
          shown > 0 && (
            <>
              {percent(learned / shown)} <Term of="learned" />, {percent(holdout / shown)}{' '}
              <Term of="held out" />
            </>
          ),
        ]}
      />
      <Move
        name="Notify"
        what="notifications"
        hours={notified}
        since={since}
        capped={capped}
        href="/notifications"
        link="Notifications"
        notes={[
          ...states
            .filter(([, hours]) => sum(hours) > 0)
            .map(([state, hours]) => {
              const words = `${compact(sum(hours))} ${state}`;
              return state === 'failed' ? (
                <a href="/notifications?status=failed&range=day">{words}</a>
              ) : (
                words
              );
            }),
          refused && (
            <>
              <a href="/notifications">{counted(refused.n, 'trigger')} refused</a>
              {refused.rows[0]!.count < refused.n && ', mostly'}: <Cut of={refused.rows[0]!.reason} long />
            </>
          ),
        ]}
      />
      <Move
        name="Webhook"
        what="deliveries"
        hours={sent}
        since={since}
        capped={capped}
        href="/webhooks?range=day"
        link="Webhooks"
        notes={[
          fails && <Badge tone="bad">a receiver is failing</Badge>,
          deliveries.attempts > 0 &&
            `${percent(deliveries.attemptsSucceeded / deliveries.attempts)} of attempts succeeded`,
          deliveries.p95Ms !== null && (
            <>
              <Term of="P95" /> of the answers {duration(deliveries.p95Ms)}
            </>
          ),
        ]}
      />
    </ul>
  );
}

function Move(props: {
  name: string;
  what: ComponentChildren;
  hours: readonly number[];
  /** How many they were in the same time a day earlier. */
  before?: number | null;
  /** When the hour before this one began, Unix ms. */
  since: number;
  /** True if the counts may be more. */
  capped?: boolean;
  href: string;
  link: string;
  /** What else is known, a line each. */
  notes: readonly ComponentChildren[];
}): VNode {
  const { name, what, hours, before, since, capped = false, href, link, notes } = props;
  const day = sum(hours);
  const more = (n: number) => (capped && n >= MOST_COUNTED ? '+' : '');
  return (
    <li class="box move">
      <h2>
        {name} <a href={href}>{link}</a>
      </h2>
      <p>
        <span class="big" title={count(day)}>
          {compact(day)}
          {more(day)}
        </span>{' '}
        {before ? <Change now={day} before={before} /> : null}
      </p>
      <p>{what}</p>
      <div class="note">
        <p>
          <strong>{compact(lately(hours)) + more(lately(hours))}</strong> of them since{' '}
          <Time at={since} whole />
        </p>
        {notes
          .filter((note) => note)
          .map((note) => (
            <p>{note}</p>
          ))}
      </div>
      <Spark label={`${name} by hour, at most ${count(Math.max(0, ...hours))}`} values={hours} />
      {day > 0 && (
        <p class="note" aria-hidden="true">
          by the hour, at most {count(Math.max(...hours))}
        </p>
      )}
    </li>
  );
}

/** How a count differs from that of the same time a day earlier. */
function Change({ now, before }: { now: number; before: number }): VNode {
  const share = Math.round((1000 * now) / before) / 1000 - 1;
  const words = share > 10 ? 'over 1,000 %' : percent(Math.abs(share));
  const [sign, than] = share < 0 ? ['▼', 'less than'] : share > 0 ? ['▲', 'more than'] : ['=', 'as'];
  return (
    <span class="note" title={`${count(before)} in the same time a day earlier`}>
      {sign} {share !== 0 && words}
      <span class="visually-hidden"> {than} a day earlier</span>
    </span>
  );
}
