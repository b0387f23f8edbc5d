import type { VNode } from 'preact';
import type { ConsoleLimit } from '../../../contract/console.ts';
import { about } from '../../data/about.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { CommandButton } from '../../parts/command.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { NEARLY, nextLimit, shareOf, WHEN_REACHED } from './limit-words.ts';

/** More of one limit: when its requests came, when the next slot becomes free, and how it is changed. */
export function LimitBox({
  of,
  windowMs,
  exact,
}: {
  of: ConsoleLimit;
  windowMs: number | null;
  exact: boolean;
}): VNode {
  const { group, covers, limit, used, remaining, nextFreeAt, seenAt, buckets } = of;
  return (
    <Box
      title={limit === null || used === null ? group : `${group}: ${percent(used / limit)} used`}
      label={group}
      note={covers}
    >
      {limit === null && <p>{exact || seenAt !== null ? 'No limit.' : 'Not seen yet.'}</p>}
      {limit !== null && <Gauge of={of} />}
      {buckets && windowMs !== null && (
        <div>
          <Histogram buckets={buckets} windowMs={windowMs} group={group} />
          <HistogramAxis buckets={buckets} windowMs={windowMs} />
        </div>
      )}
      {limit !== null && used !== null && (
        <p class="note">
          {remaining === 0 ? 'The next slot becomes free ' : `${counted(remaining ?? 0, 'request')} left. `}
          {nextFreeAt !== null && (
            <>
              {remaining !== 0 && 'The oldest leaves the window '}
              at <Time at={nextFreeAt} />.
            </>
          )}
        </p>
      )}
      {seenAt !== null && (
        <p class="note">
          Stated at <Time at={seenAt} />.
        </p>
      )}
      <p class="note">
        {WHEN_REACHED[group]} {!exact && 'Those who run the service can change it.'}
      </p>
      {exact && (
        <div>
          <ChangeLimit of={of} />
        </div>
      )}
    </Box>
  );
}

/** The command that raises the limit of a group, or sets one. */
export function ChangeLimit({ of }: { of: ConsoleLimit }): VNode {
  const { group, limit } = of;
  const [next, basis] = nextLimit(of);
  return (
    <CommandButton
      word={limit === null ? 'Set a limit' : 'Raise the limit'}
      line={`${about.value?.commandPrefix ?? 'svc'} serve --limit ${group}=${next}`}
    >
      It is the limit of {group}, which all keys of the workspace share. Start the service with this once; it
      is kept with the data. {count(next)} is {basis}
      {limit !== null && '; off instead of a number removes it'}:
    </CommandButton>
  );
}

/** How much of a limit is used, and whether that is nearly all. */
export function Gauge({ of }: { of: ConsoleLimit }): VNode {
  const { limit, used, nextFreeAt } = of;
  const share = shareOf(of);
  if (limit === null || used === null || share === undefined)
    return <span class="note">{count(limit ?? 0)} per window; what is used is not known any more</span>;
  return (
    <span class="gauge">
      <Bar value={used} max={limit} label={`${count(used)} of ${count(limit)}`} strong={share >= NEARLY} />
      {share >= 1 ? (
        <>
          <Badge tone="bad">used up</Badge>
          {nextFreeAt !== null && (
            <span class="note">
              free again at <Time at={nextFreeAt} />
            </span>
          )}
        </>
      ) : (
        share >= NEARLY && <Badge tone="warn">{percent(share)}</Badge>
      )}
    </span>
  );
}

/** The requests of the window, and at their most. */
function Histogram(props: { buckets: readonly number[]; windowMs: number; group: string }): VNode {
  const { buckets, windowMs, group } = props;
  const most = Math.max(...buckets);
  const label = `${group}: requests in each ${duration(windowMs / buckets.length)} of the window, at most ${count(most)}`;
  return (
    <span class="histogram" role="img" aria-label={label} title={label}>
      {buckets.map((n) => (
        <span class={n > 0 ? 'some' : undefined} style={{ height: `${most > 0 ? (n / most) * 100 : 0}%` }} />
      ))}
    </span>
  );
}

/** The beginning and the end of a histogram, and its most. */
function HistogramAxis({ buckets, windowMs }: { buckets: readonly number[]; windowMs: number }): VNode {
  const most = Math.max(...buckets);
  return (
    <p class="histogram-axis" aria-hidden="true">
      <span>{duration(windowMs)} ago</span>
      {most > 0 && (
        <span>
          at most {count(most)} in {duration(windowMs / buckets.length)}
        </span>
      )}
      <span>now</span>
    </p>
  );
}
