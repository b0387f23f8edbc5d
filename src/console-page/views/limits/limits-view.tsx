import type { VNode } from 'preact';
import type { ConsoleLimit, ConsoleLimits } from '../../../contract/console.ts';
import { GROUP_LIMITS, GROUPS } from '../../../contract/limits.ts';
import { about, svcCommand } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { Command } from '../../parts/command.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';

const EVERY_MS = 2_000;
/** Shares of a limit from which it is shown as nearly used up. */
const NEARLY = 0.8;

const GROUP: FilterField = {
  name: 'group',
  label: 'Group of endpoints',
  kind: 'choice',
  options: [['', 'All'], ...GROUPS.map((group) => [group, group] as const)],
};

/** How much of each rate limit is used: a gauge, the window as a histogram, and when the next slot becomes free. */
export function LimitsView(): VNode {
  const filters = useFilters();
  const { group } = filters.values;
  const limits = useResource('limits', (signal) => ask<ConsoleLimits>('limits', { signal }), EVERY_MS);
  const { value, error } = limits;
  return (
    <>
      <ViewHead
        title="Limits"
        summary={value || !about.value?.local ? summaryOf(value) : ''}
        command={svcCommand('limits')}
        readAt={limits.readAt}
        every={EVERY_MS}
        refresh={limits.reload}
      />
      <FilterBar filters={filters} fields={[GROUP]} />
      {error && <Failure error={error} retry={limits.reload} />}
      {!value && !error && <Loading what="the limits" />}
      {value && !value.exact && value.groups.every(({ seenAt }) => seenAt === null) && (
        <Empty title="No answer of the service was seen yet." command={svcCommand('limits', '--refresh')}>
          <p>The limits are in the headers of its answers. One read shows that of the reads:</p>
        </Empty>
      )}
      {value && (
        <div class="columns">
          {value.groups
            .filter((one) => (group ? one.group === group : true))
            .map((one) => (
              <Limit key={one.group} of={one} windowMs={value.windowMs} exact={value.exact} />
            ))}
        </div>
      )}
    </>
  );
}

/** Undefined before it is known, of a service elsewhere. */
function summaryOf(limits: ConsoleLimits | undefined): string {
  if (limits?.exact)
    return `${mostUsed(limits)} A request beyond a limit is answered 429 with the seconds to wait; what the console reads is not counted.`;
  return 'As the service last stated it in its answers. What the console reads is counted too, and paced to a tenth of each limit.';
}

/** Which limit is used most, and how far. */
function mostUsed({ groups, windowMs }: ConsoleLimits): string {
  const shares = groups
    .flatMap(({ group, limit, used }) =>
      limit === null || used === null ? [] : [{ group, share: used / limit }],
    )
    .sort((a, b) => b.share - a.share);
  const [most] = shares;
  if (!most) return 'No limit is set.';
  const when = `in the last ${duration(windowMs!)}.`;
  return most.share === 0
    ? `No request counted ${when}`
    : `${most.group} is used most, to ${percent(most.share)}, ${when}`;
}

function Limit({
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
      {limit !== null && used !== null && (
        <p class="gauge">
          <Bar
            value={used}
            max={limit}
            label={`${count(used)} of ${count(limit)}`}
            strong={used / limit >= NEARLY}
          />
          {used >= limit ? (
            <Badge tone="bad">used up</Badge>
          ) : (
            used / limit >= NEARLY && <Badge tone="warn">{percent(used / limit)}</Badge>
          )}
        </p>
      )}
      {limit !== null && used === null && (
        <p>{count(limit)} per window; what is used is not known any more.</p>
      )}
      {buckets && windowMs !== null && <Histogram buckets={buckets} windowMs={windowMs} group={group} />}
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
      <p>
        {WHEN_REACHED[group]} {exact && `To ${limit === null ? 'set' : 'raise'} it, start the service with:`}
      </p>
      {exact ? (
        <Command line={changeCommand(group, limit)} label={`change the limit of ${group}`} />
      ) : (
        <p class="note">Those who run the service can change it.</p>
      )}
    </Box>
  );
}

/** What becomes of requests beyond a limit, for those who send them. */
const WHEN_REACHED: Readonly<Record<ConsoleLimit['group'], string>> = {
  ingest: 'When it is reached, events and users wait where they come from: svc imports pace themselves.',
  inform: 'When it is reached, a trigger is refused, and nothing is sent until it is tried again.',
  decisions: 'When it is reached, an app gets no decision, and shows what it shows without one.',
  reads: 'When it is reached, lists are refused; events, decisions and deliveries go on.',
  webhooks: 'When it is reached, changes of subscriptions and the catalog are refused; deliveries go on.',
};

/** Starts the service with another limit, which it keeps: twice as much, up to the ceiling of the group. */
function changeCommand(group: ConsoleLimit['group'], limit: number | null): string {
  const { default: byDefault, ceiling } = GROUP_LIMITS[group];
  const next = limit === null ? byDefault : Math.max(Math.min(limit * 2, ceiling), byDefault);
  return `${about.value?.commandPrefix ?? 'svc'} serve --limit ${group}=${next}`;
}

function Histogram(props: { buckets: readonly number[]; windowMs: number; group: string }): VNode {
  const { buckets, windowMs, group } = props;
  const most = Math.max(...buckets);
  const label = `${group}: requests in each ${duration(windowMs / buckets.length)} of the window, at most ${count(most)}`;
  return (
    <div>
      <div class="histogram" role="img" aria-label={label} title={label}>
        {buckets.map((n) => (
          <span
            class={n > 0 ? 'some' : undefined}
            style={{ height: `${most > 0 ? (n / most) * 100 : 0}%` }}
          />
        ))}
      </div>
      <p class="histogram-axis" aria-hidden="true">
        <span>{duration(windowMs)} ago</span>
        {most > 0 && (
          <span>
            at most {count(most)} in {duration(windowMs / buckets.length)}
          </span>
        )}
        <span>now</span>
      </p>
    </div>
  );
}
