import type { VNode } from 'preact';
import { differenceOf, type Rate } from '../../../kit/intervals.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import type { DecisionTrend } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { count } from '../../parts/numbers.ts';
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
  /** Null for all contents together. */
  readonly contentId: string | null;
  readonly served: readonly [before: number, after: number];
  readonly rate: Compared;
  readonly goals: readonly Compared[];
}

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
    const spans = spansAround(Date.parse(stored), {
      from: from === null ? undefined : Date.parse(from),
      until: until === null ? now : Date.parse(until),
      now,
    });
    if (!spans) return { spans, trends: [] };
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
        What it earns is compared once it was in force for an hour, or a day if that was two weeks ago.
      </p>
    );
  const rows = rowsOf(before, after, changed);
  const goals = (after.goals ?? []).map(({ goalId }) => goalId);
  return (
    <>
      <h3>
        <Verdict rows={rows} changed={changed} />
      </h3>
      <p class="note">
        {spanWords(value.spans.before)} before, {spanWords(value.spans.after)} after; the difference with its
        95 % interval. Something else may have changed at the same time.
      </p>
      <Table
        label={`What contents earned before and after version ${version}`}
        rows={rows}
        keyOf={({ contentId }) => contentId ?? ''}
        columns={[
          {
            title: 'Content',
            cell: ({ contentId }) =>
              contentId === null ? (
                'All together'
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
          { title: 'Rate', note: 'rewarded of those served', cell: ({ rate }) => <Change of={rate} /> },
          ...goals.map((goalId, i) => ({
            title: goalId,
            note: 'goal, per message served',
            wide: true,
            cell: ({ goals: earned }: Row) => <Change of={earned[i] ?? { before: null, after: null }} />,
          })),
        ]}
      />
    </>
  );
}

function rowsOf(before: DecisionTrend, after: DecisionTrend, changed: ReadonlySet<string>): Row[] {
  type Part = DecisionTrend['contents'][number] | undefined;
  const rowOf = (contentId: string | null, one: Part, other: Part): Row => ({
    contentId,
    served: [one?.total?.served ?? 0, other?.total?.served ?? 0],
    rate: { before: one?.total ?? null, after: other?.total ?? null },
    goals: (after.goals ?? []).map(({ goalId }) => ({
      before: earnedOf(one?.goals?.find((goal) => goal.goalId === goalId)?.total),
      after: earnedOf(other?.goals?.find((goal) => goal.goalId === goalId)?.total),
    })),
  });
  const of = (trend: DecisionTrend, id: string) => trend.contents.find(({ contentId }) => contentId === id);
  const all: Row = {
    contentId: null,
    served: [before.total?.served ?? 0, after.total?.served ?? 0],
    rate: { before: before.total, after: after.total },
    goals: (after.goals ?? []).map(({ goalId, total }) => ({
      before: earnedOf(before.goals?.find((goal) => goal.goalId === goalId)?.total),
      after: earnedOf(total),
    })),
  };
  const ids = new Set([...before.contents, ...after.contents].map(({ contentId }) => contentId));
  const rows = [...ids].map((id) => rowOf(id, of(before, id), of(after, id)));
  const order = ({ contentId, served }: Row) => (changed.has(contentId!) ? 1e12 : 0) + served[0] + served[1];
  return [all, ...rows.sort((a, b) => order(b) - order(a))];
}

type Total = { readonly value: number; readonly low: number; readonly high: number } | null | undefined;
const earnedOf = (total: Total): Rate | null => (total ? { ...total, rate: total.value } : null);

/** A span of time in the zone of the reader: `27 Nov, 11:00 to 28 Nov, 04:00`. */
function spanWords(span: readonly number[]): string {
  // Made here: every view would pay for one of the module.
  const hour = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return span.map((at) => hour.format(at)).join(' to ');
}

/** A share with as many digits as the difference has. */
const exact = (share: number) => `${(100 * share).toFixed(1)} %`;

/** A difference of shares in percentage points: `+12.1`. */
const points = (value: number) => `${value < 0 ? '−' : '+'}${(100 * Math.abs(value)).toFixed(1)}`;

/** A rate before and after, and the difference, which stands out where it is certain. */
function Change({ of: { before, after } }: { of: Compared }): VNode {
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
      {exact(before.rate)} → {exact(after.rate)} <Badge tone={tone}>{points(rate)} points</Badge>{' '}
      <span class="note">
        {points(low)} to {points(high)}
      </span>
    </>
  );
}

/** What is certain of what changed, or of all. */
function Verdict({ rows, changed }: { rows: readonly Row[]; changed: ReadonlySet<string> }): VNode {
  const certain = rows.flatMap(({ contentId, rate: { before, after } }) => {
    if (!before || !after || (contentId !== null && !changed.has(contentId))) return [];
    const difference = differenceOf(after, before);
    return difference.low > 0 || difference.high < 0 ? [{ contentId, rate: difference.rate }] : [];
  });
  const first = certain.find(({ contentId }) => contentId !== null) ?? certain[0];
  if (!first) return <>Nothing earns more or less for certain since then</>;
  return (
    <>
      {first.contentId === null ? 'All together' : <Cut of={first.contentId} />}{' '}
      {first.contentId === null ? 'earn' : 'earns'} {(100 * Math.abs(first.rate)).toFixed(1)} points{' '}
      {first.rate > 0 ? 'more' : 'less'} since then, and that is certain
    </>
  );
}
