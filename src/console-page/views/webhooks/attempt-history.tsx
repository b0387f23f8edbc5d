import type { VNode } from 'preact';
import { useFilters } from '../../data/filters.ts';
import { useTrend } from '../../data/trends.ts';
import { TimeAxis } from '../../parts/charts/time-axis.tsx';
import { Figures } from '../../parts/figures.tsx';
import { count, percent } from '../../parts/numbers.ts';
import { RangeControl, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { Attempt } from './webhook-words.ts';

/** True for an attempt that was answered with a status from 200 to 299. */
const succeeded = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** How attempts went: their number, the share that succeeded, and the time within which 95 % were answered; undefined for none. */
export function statisticsOf(attempts: readonly Attempt[]) {
  if (attempts.length === 0) return undefined;
  const durations = attempts.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return {
    attempts: attempts.length,
    success: attempts.filter(succeeded).length / attempts.length,
    p95Ms: durations[Math.max(0, Math.ceil(durations.length * 0.95) - 1)]!,
  };
}

const sum = (all: readonly number[]) => all.reduce((total, n) => total + n, 0);

/** How long the attempts over a range of time took, and how many succeeded: of one subscription, or of all. */
export function AttemptHistory({ webhookId }: { webhookId: string | undefined }): VNode {
  const filters = useFilters();
  const { value, error, reload } = useTrend('getDeliveryTrend', { ...rangeOf(filters), webhookId });
  const when = rangeWords(filters.values);
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
          : `${percent(sum(delivered) / all)} of the attempts succeeded ${when}${p95Ms === null ? '' : `, 95 % were answered within ${duration(p95Ms)}`}`
      }
      label="Attempts"
      note={`${count(all)}${capped ? '+' : ''} attempts by latency and time, darker for more; counted for a week`}
    >
      <div class="toolbar">
        <RangeControl filters={filters} all={false} />
      </div>
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
