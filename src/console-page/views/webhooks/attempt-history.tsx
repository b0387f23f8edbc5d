import type { ComponentChildren, VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { TimeAxis } from '../../parts/charts/time-axis.tsx';
import { Figures } from '../../parts/figures.tsx';
import { compact, count, percent } from '../../parts/numbers.ts';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

export type DeliveryTrend = AnswerOf<'getDeliveryTrend'>;

const sum = (all: readonly number[]) => all.reduce((total, n) => total + n, 0);

/** How many attempts over a range of time succeeded, and how long they took: of one subscription, or of all. `when` is the range in words. */
export function AttemptHistory(props: {
  of: DeliveryTrend;
  when: string;
  /** What is told of the single attempts. */
  children?: ComponentChildren;
}): VNode {
  const { of, when } = props;
  const { answered, attempts, boundsMs, delivered, p95Ms, capped, stepMs } = of;
  const all = sum(attempts);
  const from = Date.parse(of.from);
  // A part of a column would look like another step: the last one is as wide as the others.
  const until = from + attempts.length * stepMs;
  const isOver = until <= Date.parse(of.until);
  const classWords = (row: number) =>
    `${row === 0 ? '' : `${duration(boundsMs[row - 1]!)} to `}${duration(boundsMs[row]!)}`;
  // A class that nothing fell into would only make the table of the figures wider.
  const classes = boundsMs.map((_, row) => row).filter((row) => answered.some((step) => step[row]! > 0));
  return (
    <Box
      title={
        all === 0
          ? `Nothing was attempted ${when}`
          : `${percent(sum(delivered) / all)} of the attempts succeeded ${when}${p95Ms === null ? '' : `, P95 of the answers ${duration(p95Ms)}`}`
      }
      label="Attempts"
      note={
        all === 0
          ? 'counted for a week'
          : `${count(all)}${capped ? '+' : ''} ${all === 1 ? 'attempt' : 'attempts'}, each column is ${duration(stepMs)}${isOver ? '' : ', of which the last is not over yet'}; counted for a week`
      }
    >
      {all > 0 && (
        <>
          <div class="columns">
            <div class="stack">
              <h3>How many there were</h3>
              <Outcomes attempts={attempts} delivered={delivered} when={when}>
                <TimeAxis from={from} until={until} />
              </Outcomes>
              <ul class="legend">
                <li>
                  <span class="swatch well" aria-hidden="true" />
                  succeeded <span class="note">{count(sum(delivered))}</span>
                </li>
                <li>
                  <span class="swatch failed" aria-hidden="true" />
                  failed <span class="note">{count(all - sum(delivered))}</span>
                </li>
              </ul>
            </div>
            <div class="stack">
              <h3>How long the answers took</h3>
              <Latencies of={of} when={when}>
                <TimeAxis from={from} until={until} />
              </Latencies>
            </div>
          </div>
          <Figures
            label={`How attempts went ${when}`}
            heads={['From', 'Attempts', 'Succeeded', ...classes.map((row) => classWords(row))]}
            rows={() =>
              attempts.flatMap((n, i) =>
                n === 0
                  ? []
                  : [
                      [
                        <Time at={from + i * stepMs} />,
                        count(n),
                        count(delivered[i]!),
                        ...classes.map((row) => count(answered[i]![row]!)),
                      ],
                    ],
              )
            }
          />
        </>
      )}
      {props.children}
    </Box>
  );
}

/** A column for each step: what succeeded, and on top of it what failed. */
function Outcomes(props: {
  attempts: readonly number[];
  delivered: readonly number[];
  when: string;
  /** Its axis. */
  children: VNode;
}): VNode {
  const { attempts, delivered, when } = props;
  const most = Math.max(...attempts);
  return (
    <div class="heat-strip">
      <ul aria-hidden="true" class="ends">
        <li>0</li>
        <li>{compact(most)}</li>
      </ul>
      <svg
        class="outcomes"
        viewBox={`0 0 ${attempts.length} ${most}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Attempts ${when} that succeeded and that failed, the oldest on the left, at most ${count(most)}`}
      >
        {attempts.map((n, i) => (
          <>
            <rect class="well" x={i + 0.06} y={most - delivered[i]!} width={0.88} height={delivered[i]} />
            <rect class="failed" x={i + 0.06} y={most - n} width={0.88} height={n - delivered[i]!} />
          </>
        ))}
      </svg>
      {props.children}
    </div>
  );
}

/** How long the answers took: a field for each step and class of latency, darker for more. */
function Latencies(props: { of: DeliveryTrend; when: string; children: VNode }): VNode {
  const { when } = props;
  const { answered, boundsMs } = props.of;
  const most = Math.max(1, ...answered.flat());
  return (
    <div class="heat-strip">
      <ul aria-hidden="true">
        {boundsMs.map((bound, i) => (
          <li>{i % 2 === 0 && duration(bound)}</li>
        ))}
      </ul>
      <svg
        class="heat"
        viewBox={`0 0 ${answered.length} ${boundsMs.length}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`How long attempts took ${when}, the oldest on the left, the slowest on top, darker for more`}
      >
        {answered.map((column, x) =>
          column.map(
            (n, row) =>
              n > 0 && (
                <rect
                  key={`${x} ${row}`}
                  x={x + 0.06}
                  y={boundsMs.length - 1 - row + 0.06}
                  width={0.88}
                  height={0.88}
                  opacity={0.25 + (0.75 * n) / most}
                />
              ),
          ),
        )}
      </svg>
      {props.children}
    </div>
  );
}
