import type { VNode } from 'preact';
import { Figures } from '../../parts/figures.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { Attempt, Delivery } from './webhook-words.ts';

/** Upper ends of the classes of durations, in ms. */
const CLASSES = [10, 30, 100, 300, 1000, Number.POSITIVE_INFINITY] as const;
const COLUMNS = 48;

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

/** How long the attempts of the listed deliveries took, and how many succeeded: the older ones on the left. */
export function AttemptHistory({ deliveries }: { deliveries: readonly Delivery[] }): VNode | null {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts).sort((a, b) => (a.at < b.at ? -1 : 1));
  const found = statisticsOf(attempts);
  if (!found) return null;
  const columns = Math.min(COLUMNS, attempts.length);
  const perColumn = attempts.length / columns;
  const cells = Array.from({ length: columns }, () => CLASSES.map(() => 0));
  for (const [i, { durationMs }] of attempts.entries())
    cells[Math.min(columns - 1, Math.floor(i / perColumn))]![
      CLASSES.findIndex((most) => durationMs <= most)
    ]!++;
  const most = Math.max(...cells.flat());
  const [first, last] = [attempts[0]!, attempts.at(-1)!];
  const label = `Durations of ${counted(attempts.length, 'attempt')}, the oldest on the left`;
  return (
    <Box
      title={`${percent(found.success)} of the attempts succeed, 95 % within ${duration(found.p95Ms)}`}
      label="Attempts"
      note={`${counted(attempts.length, 'attempt')} of the ${counted(deliveries.length, 'listed delivery', 'listed deliveries')}, by duration; darker for more`}
    >
      <svg
        class="heat"
        viewBox={`0 0 ${columns} ${CLASSES.length}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {cells.map((column, x) =>
          column.map(
            (n, row) =>
              n > 0 && (
                <rect
                  key={`${x} ${row}`}
                  x={x + 0.06}
                  y={CLASSES.length - 1 - row + 0.06}
                  width={0.88}
                  height={0.88}
                  opacity={0.25 + (0.75 * n) / most}
                />
              ),
          ),
        )}
      </svg>
      <p class="histogram-axis">
        <Time at={first.at} />
        <Time at={last.at} />
      </p>
      <Figures
        label={label}
        heads={['Duration', 'Attempts']}
        rows={() =>
          CLASSES.map((end, row) => [
            end === Number.POSITIVE_INFINITY ? 'longer' : `up to ${duration(end)}`,
            count(cells.reduce((sum, column) => sum + column[row]!, 0)),
          ])
        }
      />
    </Box>
  );
}
