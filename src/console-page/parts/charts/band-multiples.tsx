import type { ComponentChildren, VNode } from 'preact';
import { colourOf } from '../content-colours.ts';
import { Figures } from '../figures.tsx';
import { count } from '../numbers.ts';
import { Cut, cleaned } from '../text.tsx';
import { Time } from '../time.tsx';
import { Box } from '../view.tsx';
import { BandChart } from './band-chart.tsx';
import { roundUp } from './ticks.ts';

/** What is estimated of a content from a time on, with its interval. */
interface Estimate {
  readonly from: string;
  readonly served: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A content's estimate over the range, and over its parts. */
export interface ContentEstimates {
  readonly contentId: string;
  readonly total: Estimate | null;
  readonly points: readonly Estimate[];
}

/**
 * What contents earn over time, each in a small chart of its own with the band of its interval, all on one scale. Nothing
 * where no content was served.
 */
export function BandMultiples(props: {
  contents: readonly ContentEstimates[];
  label: string;
  /** What is estimated, as the head of a column: `Rate`. */
  of: string;
  title: (contents: readonly ContentEstimates[]) => ComponentChildren;
  note: ComponentChildren;
  /** Ends of the range. */
  from: string;
  until: string;
  format: (value: number) => string;
}): VNode | null {
  const { label, of, title, note, from, until, format } = props;
  const contents = props.contents.filter(({ points }) => points.length > 0);
  if (contents.length === 0) return null;
  // Wide intervals of few decisions would flatten all others.
  const seen = contents.flatMap(({ total, points }) => [
    total?.high ?? 0,
    ...points.map((point) => (isOften(point) ? point.high : point.value)),
  ]);
  // It stays the same from one read to the next.
  const max = Math.min(1, roundUp(Math.max(...seen, 0.0001)));
  return (
    <Box title={title(contents)} label={label} note={note}>
      <ul class="multiples">
        {contents.map(({ contentId, total, points }) => (
          <li>
            <p>
              <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />
              <Cut of={contentId} /> <strong>{total && format(total.value)}</strong>{' '}
              <span class="note">{total && `${format(total.low)} to ${format(total.high)}`}</span>
            </p>
            <BandChart
              label={`${of} of ${cleaned(contentId)} over ${points.length} points, ${total ? format(total.value) : 'unknown'} in all`}
              points={points.map((point) => ({ ...point, at: Date.parse(point.from) }))}
              from={Date.parse(from)}
              until={Date.parse(until)}
              min={0}
              max={max}
              format={format}
              colour={colourOf(contentId)}
            />
          </li>
        ))}
      </ul>
      <Figures
        label={label}
        heads={['Content', 'From', 'Served', of, 'Interval']}
        rows={() =>
          contents.flatMap(({ contentId, points }) =>
            points.map((point) => [
              <Cut of={contentId} />,
              <Time at={point.from} />,
              count(point.served),
              format(point.value),
              `${format(point.low)} to ${format(point.high)}`,
            ]),
          )
        }
      />
    </Box>
  );
}

/** Messages of a content from which on it is compared: of fewer, a rate is an accident. */
const MIN_SERVED = 30;
const isOften = ({ served }: Estimate) => served >= MIN_SERVED;

/**
 * Which content earns most, and whether that is certain: no interval of another reaches into its own. Those that were served
 * too rarely are not compared, which is said where it matters.
 */
export function BestContent(props: {
  contents: readonly ContentEstimates[];
  /** What is said of it if that is certain. */
  ahead: (value: string) => string;
  /** What is said where no content earned anything. */
  nothing: string;
  /** What is said where none that earned something was served often enough. */
  unknown: string;
  when: string;
  format: (value: number) => string;
}): VNode {
  const { contents, ahead, nothing, unknown, when, format } = props;
  const earning = contents
    .flatMap(({ contentId, total }) => (total && total.served > 0 ? [{ contentId, ...total }] : []))
    .sort((a, b) => b.value - a.value);
  const best = earning.find(isOften);
  if (!earning[0]?.value) return <>{nothing}</>;
  if (!best?.value)
    return (
      <>
        {unknown}: fewer than {MIN_SERVED} messages were served of each that earned something
      </>
    );
  const rivals = earning.filter((other) => other !== best && other.high >= best.low);
  const rival = rivals.find(isOften);
  const among = rivals.every(isOften) ? '' : `, of contents with at least ${MIN_SERVED} messages,`;
  if (!rival)
    return (
      <>
        <Cut of={best.contentId} />
        {among} {ahead(format(best.value))}
      </>
    );
  return (
    <>
      <Cut of={best.contentId} />
      {among} is ahead {when} with {format(best.value)}, but not for certain: <Cut of={rival.contentId} /> has{' '}
      {format(rival.value)}
    </>
  );
}
