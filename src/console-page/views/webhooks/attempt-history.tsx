import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import type { Resource } from '../../data/resource.ts';
import { useTrend } from '../../data/trends.ts';
import { TimeAxis } from '../../parts/charts/time-axis.tsx';
import { Figures } from '../../parts/figures.tsx';
import { count, percent } from '../../parts/numbers.ts';
import type { Range } from '../../parts/range.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

export type DeliveryTrend = AnswerOf<'getDeliveryTrend'>;

const sum = (all: readonly number[]) => all.reduce((total, n) => total + n, 0);

/** The history of one subscription. `rangeKey` names the range, as `when` does in words. */
export function OwnHistory(props: {
  webhookId: string;
  range: Range;
  rangeKey: string;
  when: string;
}): VNode {
  const { webhookId, range, rangeKey, when } = props;
  const trend = useTrend('getDeliveryTrend', { ...range, webhookId }, `${webhookId} ${rangeKey}`);
  return <AttemptHistory trend={trend} when={when} />;
}

/** How long the attempts over a range of time took, and how many succeeded: of one subscription, or of all. `when` is the range in words. */
export function AttemptHistory({ trend, when }: { trend: Resource<DeliveryTrend>; when: string }): VNode {
  const { value, error, reload } = trend;
  if (!value)
    return error ? (
      <Failure error={error} retry={reload} />
    ) : (
      <div class="box wait">
        <Loading what="how the attempts went" />
      </div>
    );
  const { answered, attempts, boundsMs, delivered, p95Ms, capped, stepMs } = value;
  const all = sum(attempts);
  const most = Math.max(1, ...answered.flat());
  const from = Date.parse(value.from);
  const classWords = (row: number) =>
    `${row === 0 ? '' : `${duration(boundsMs[row - 1]!)} to `}${duration(boundsMs[row]!)}`;
  const label = `How long attempts took ${when}, the oldest on the left, the slowest on top`;
  return (
    <Box
      title={
        all === 0
          ? `Nothing was attempted ${when}`
          : `${percent(sum(delivered) / all)} of the attempts succeeded ${when}${p95Ms === null ? '' : `, 95 % of the answers came within ${duration(p95Ms)}`}`
      }
      label="Attempts"
      note={`${count(all)}${capped ? '+' : ''} attempts by latency and time, darker for more; counted for a week`}
    >
      {all > 0 && (
        <>
          <div class="heat-strip">
            <ul aria-hidden="true">
              {boundsMs.map((bound) => (
                <li>{duration(bound)}</li>
              ))}
            </ul>
            <svg
              class="heat"
              viewBox={`0 0 ${answered.length} ${boundsMs.length}`}
              preserveAspectRatio="none"
              role="img"
              aria-label={label}
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
          </div>
          <TimeAxis from={from} until={from + answered.length * stepMs} />
          <Figures
            label={label}
            heads={['From', 'Attempts', 'Succeeded', ...boundsMs.map((_, row) => classWords(row))]}
            rows={() =>
              attempts.flatMap((n, i) =>
                n === 0
                  ? []
                  : [
                      [
                        <Time at={from + i * stepMs} />,
                        count(n),
                        count(delivered[i]!),
                        ...answered[i]!.map((each) => count(each)),
                      ],
                    ],
              )
            }
          />
        </>
      )}
    </Box>
  );
}
