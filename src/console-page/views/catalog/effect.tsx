import type { VNode } from 'preact';
import { differenceOf, type Rate, rateOf } from '../../../kit/intervals.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import type { DecisionTrend } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { SignedInterval } from '../../parts/bars.tsx';
import { moments } from '../../parts/charts/tick-words.ts';
import { colourOf } from '../../parts/content-colours.ts';
import { count, points } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Cut } from '../../parts/text.tsx';
import { spansAround } from './spans.ts';

/** Contents that are compared. */
const CONTENTS = 50;

/** A rate or value before and after. */
interface Compared {
  readonly before: Rate | null;
  readonly after: Rate | null;
}

interface Row {
  /** A content, or which of all decisions: `all`, those of contents that it did not change, or of the holdout group. */
  readonly of: 'content' | keyof typeof ALL;
  readonly contentId: string;
  readonly served: readonly [before: number, after: number];
  readonly rate: Compared;
  readonly goals: readonly Compared[];
}

/** What rows are called that are of no content. */
const ALL = {
  all: 'All together',
  unchanged: 'Unchanged contents',
  holdout: 'Held out users',
} as const;

/** What contents earned before and after a version of the catalog was stored. */
export function Effect(props: {
  version: number;
  stored: string;
  /** When the version before it was stored; null for that of the service. */
  from: string | null;
  /** When the version after it was stored; null while it is in force. */
  until: string | null;
  /** The contents that it changed. */
  changed: ReadonlySet<string>;
}): VNode {
  const { version, stored, from, until, changed } = props;
  const { value, error, reload } = useResource(`effect ${version} ${until}`, async (signal) => {
    const now = Date.now();
    const at = Date.parse(stored);
    const known = { from: from === null ? undefined : Date.parse(from), now };
    const spans = spansAround(at, { ...known, until: until === null ? now : Date.parse(until) });
    // That of the version before it may be too short for ever.
    if (!spans) return { trends: [], isNever: !spansAround(at, { ...known, until: Infinity }) };
    const trends = await Promise.all(
      [spans.before, spans.after].map(([since, before]) =>
        call('getDecisionTrend', {
          query: {
            since: new Date(since).toISOString(),
            until: new Date(before).toISOString(),
            contents: String(CONTENTS),
          },
          signal,
        }),
      ),
    );
    return { spans, trends };
  });
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading what="what it changed" />;
  const [before, after] = value.trends;
  if (!value.spans || !before || !after)
    return (
      <p class="note">
        {until !== null || value.isNever
          ? 'Not compared: it or the version before it was too short in force. Figures are by the hour, after two weeks by the day.'
          : 'What it earns is compared once it was in force for an hour.'}
      </p>
    );
  const [begin, end, start, last] = moments(...value.spans.before, ...value.spans.after);
  const rows = rowsOf(before, after, changed);
  const goals = (after.goals ?? []).map(({ goalId }) => goalId);
  // That of the widest interval would flatten those that are known.
  const size = Math.max(
    0.01,
    ...rows.flatMap(({ rate }) =>
      rate.before && rate.after ? [1.5 * Math.abs(differenceOf(rate.after, rate.before).rate)] : [],
    ),
  );
  return (
    <>
      <h3>
        <Verdict rows={rows} changed={changed} />
      </h3>
      <p class="note">
        {begin} to {end} before, {start} to {last} after, with the 95 % interval of each difference. What
        unchanged contents do too is not its doing. Held out users get changed contents as well. All together
        changes also where another content is chosen more often.
      </p>
      <Table
        label={`What contents earned before and after version ${version}`}
        dense
        rows={rows}
        keyOf={({ of, contentId }) => `${of} ${contentId}`}
        columns={[
          {
            title: 'Content',
            cell: ({ of, contentId }) =>
              of !== 'content' ? (
                ALL[of]
              ) : (
                <>
                  <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />
                  <Cut of={contentId} /> {changed.has(contentId) && <Badge tone="accent">changed</Badge>}
                </>
              ),
          },
          {
            title: 'Served',
            note: 'before, after',
            align: 'end',
            wide: true,
            cell: ({ served: [one, other] }) => `${count(one)} → ${count(other)}`,
          },
          {
            title: 'Rate',
            note: 'acted on, of those served, difference in percentage points',
            cell: ({ rate }) => <Change of={rate} size={size} />,
          },
          ...goals.map((goalId, i) => ({
            title: goalId,
            note: 'goal, per message served, difference in percentage points',
            wide: true,
            cell: ({ goals: earned }: Row) => (earned[i] ? <Change of={earned[i]} /> : '–'),
          })),
        ]}
      />
    </>
  );
}

function rowsOf(before: DecisionTrend, after: DecisionTrend, changed: ReadonlySet<string>): Row[] {
  type Part = DecisionTrend['contents'][number] | undefined;
  const rowOf = (contentId: string, one: Part, other: Part): Row => ({
    of: 'content',
    contentId,
    served: [one?.total?.served ?? 0, other?.total?.served ?? 0],
    rate: { before: one?.total ?? null, after: other?.total ?? null },
    goals: (after.goals ?? []).map(({ goalId }) => ({
      before: earnedOf(one?.goals?.find((goal) => goal.goalId === goalId)?.total),
      after: earnedOf(other?.goals?.find((goal) => goal.goalId === goalId)?.total),
    })),
  });
  const of = (trend: DecisionTrend, id: string) => trend.contents.find(({ contentId }) => contentId === id);
  const rowOfAll = (of: keyof typeof ALL, totalOf: (trend: DecisionTrend) => Served): Row => {
    const [one, other] = [totalOf(before), totalOf(after)];
    return {
      of,
      contentId: '',
      served: [one?.served ?? 0, other?.served ?? 0],
      rate: { before: one ?? null, after: other ?? null },
      goals: [],
    };
  };
  const all: Row = {
    ...rowOfAll('all', ({ total }) => total),
    goals: (after.goals ?? []).map(({ goalId, total }) => ({
      before: earnedOf(before.goals?.find((goal) => goal.goalId === goalId)?.total),
      after: earnedOf(total),
    })),
  };
  const ids = new Set([...before.contents, ...after.contents].map(({ contentId }) => contentId));
  const rows = [...ids].map((id) => rowOf(id, of(before, id), of(after, id)));
  const order = ({ contentId, served }: Row) => (changed.has(contentId) ? 1e12 : 0) + served[0] + served[1];
  const others = [
    ...(changed.size > 0 ? [rowOfAll('unchanged', (trend) => withoutThose(trend, changed))] : []),
    rowOfAll('holdout', ({ holdoutTotal }) => holdoutTotal),
  ].filter(({ served }) => served[0] + served[1] > 0);
  rows.sort((a, b) => order(b) - order(a));
  const own = rows.filter(({ contentId }) => changed.has(contentId));
  // In the order in which it is judged: what it changed, what it is compared with, and all.
  return [...own, ...others, all, ...rows.filter((row) => !own.includes(row))];
}

type Served = (Rate & { readonly served: number }) | null | undefined;

/** The rate of the contents that a version did not change: that of all, without those that it changed. */
function withoutThose({ total, contents }: DecisionTrend, changed: ReadonlySet<string>): Served {
  if (!total) return null;
  const those = contents.flatMap(({ contentId, total: own }) => (own && changed.has(contentId) ? [own] : []));
  const less = (of: 'served' | 'rewarded') => those.reduce((left, own) => left - own[of], total[of]);
  const rate = rateOf(less('rewarded'), less('served'));
  return rate && { ...rate, served: less('served') };
}

type Total = { readonly value: number; readonly low: number; readonly high: number } | null | undefined;
const earnedOf = (total: Total): Rate | null => (total ? { ...total, rate: total.value } : null);

/** A share with as many digits as the difference has. */
const exact = (share: number) => `${(100 * share).toFixed(1)} %`;

/** A rate before and after, and the difference, which stands out where it is certain; with a `size`, drawn from -size to it. */
function Change({ of: { before, after }, size }: { of: Compared; size?: number }): VNode {
  if (!before && !after) return <span class="note">not served</span>;
  if (!before || !after)
    return (
      <>
        {before ? exact(before.rate) : 'not served'} → {after ? exact(after.rate) : 'not served'}
      </>
    );
  const { rate, low, high } = differenceOf(after, before);
  const tone = low > 0 ? 'good' : high < 0 ? 'bad' : 'plain';
  return (
    <>
      <span class="fractions">
        {exact(before.rate)} → {exact(after.rate)}
      </span>{' '}
      <Badge tone={tone}>{points(rate)}</Badge>{' '}
      {size !== undefined && (
        <SignedInterval
          rate={rate}
          low={low}
          high={high}
          max={size}
          title={`${points(low)} to ${points(high)}`}
        />
      )}
      <span class={size === undefined ? 'note' : 'visually-hidden'}>
        {points(low)} to {points(high)}
      </span>
    </>
  );
}

/** What is certain of what changed, or of all, and whether what it did not change did the same. */
function Verdict({ rows, changed }: { rows: readonly Row[]; changed: ReadonlySet<string> }): VNode {
  const differences = rows.flatMap(({ of, contentId, rate: { before, after } }) =>
    before && after ? [{ of, contentId, ...differenceOf(after, before) }] : [],
  );
  const certain = differences.filter(({ low, high }) => low > 0 || high < 0);
  const first =
    certain.find(({ of, contentId }) => of === 'content' && changed.has(contentId)) ??
    certain.find(({ of }) => of === 'all');
  if (!first) return <>Nothing earns more or less for certain since then</>;
  const alike = certain.find(
    ({ of, rate }) => of === (changed.size > 0 ? 'unchanged' : 'holdout') && rate > 0 === first.rate > 0,
  );
  const isMore = alike && (first.rate > 0 ? first.low > alike.high : first.high < alike.low);
  const size = (rate: number) => points(Math.abs(rate)).slice(1);
  return (
    <>
      {first.of === 'all' ? 'All together earn' : <Cut of={first.contentId} />}
      {first.of !== 'all' && ' earns'} {size(first.rate)} percentage points {first.rate > 0 ? 'more' : 'less'}{' '}
      since then, and that is certain
      {alike &&
        `; ${alike.of === 'holdout' ? 'held out users' : 'unchanged contents'} ${first.rate > 0 ? 'rose' : 'fell'} too, by ${size(alike.rate)}, so ${isMore ? `only ${size(first.rate - alike.rate)} is its doing` : 'it may not be its doing'}`}
    </>
  );
}
