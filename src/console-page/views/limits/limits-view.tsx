import type { VNode } from 'preact';
import type { ConsoleLimit, ConsoleLimits } from '../../../contract/console.ts';
import { svcCommand } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Spark } from '../../parts/charts/spark.tsx';
import { count, percent } from '../../parts/numbers.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { duration } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { ChangeLimit, Gauge, LimitBox } from './limit-box.tsx';
import { busiest, NEARLY, shareOf } from './limit-words.ts';
import { TurnedAway, turnedAwayOf, turnedAwayWords, youngWords } from './turned-away.tsx';

const EVERY_MS = 2_000;
const MINUTE_MS = 60_000;
/** How much of each rate limit is used, the fullest first, and more of the one that is chosen: /limits?group=GROUP. */
export function LimitsView(): VNode {
  const filters = useFilters();
  const { group } = filters.values;
  const limits = useResource('limits', (signal) => ask<ConsoleLimits>('limits', { signal }), EVERY_MS);
  const { value, error } = limits;
  const chosen = value?.groups.find((one) => one.group === group);
  const seen = (value?.groups ?? []).filter(({ seenAt }) => value?.exact || seenAt !== null);
  return (
    <>
      <ViewHead
        title="Limits"
        summary={value ? summaryOf(value) : ''}
        command={svcCommand('limits')}
        readAt={limits.readAt}
        every={EVERY_MS}
        refresh={limits.reload}
      />
      {error && <Failure error={error} retry={limits.reload} />}
      {!value && !error && <Loading what="the limits" />}
      {value && seen.length === 0 && (
        <Empty title="No answer of the service was seen yet." command={svcCommand('limits', '--refresh')}>
          <p>Its answers state the limits. This reads once:</p>
        </Empty>
      )}
      {value && seen.length > 0 && (
        <Box
          title={value.exact ? mostUsed(value) : 'What is used of each limit, as last stated'}
          label="Limits"
          note={noteOf(value, seen)}
        >
          <Table
            label="Limits"
            dense
            rows={[...seen].sort((a, b) => (shareOf(b) ?? -1) - (shareOf(a) ?? -1))}
            keyOf={(one) => one.group}
            current={(one) => one.group === group}
            columns={columnsOf(value)}
          />
        </Box>
      )}
      {value?.turnedAway && value.turnedAway.rows.length > 0 && <TurnedAway of={value.turnedAway} />}
      {value && chosen && <LimitBox of={chosen} windowMs={value.windowMs} exact={value.exact} />}
    </>
  );
}

/** Is anybody near a limit, and was anybody turned away? */
function summaryOf({ groups, turnedAway, exact }: ConsoleLimits): string {
  const near = groups.filter((of) => (shareOf(of) ?? 0) >= NEARLY);
  const words = near.map((of) => `${of.group} is ${shareOf(of)! >= 1 ? 'at' : 'near'} its limit`);
  const now = near.length === 0 ? 'No group is near its limit now' : words.join(', ');
  return turnedAway
    ? `${now}; ${turnedAwayWords(turnedAway)}`
    : `${now}${exact ? '' : ', as far as the answers of the service say'}`;
}

/** What must be known of the figures. */
function noteOf({ groups, exact }: ConsoleLimits, seen: readonly ConsoleLimit[]): string {
  if (exact)
    return 'All keys of the workspace share a limit. Requests of this console do not count. The last hour, and what was turned away, are those of its process.';
  const unseen = groups.filter((of) => !seen.includes(of)).map(({ group }) => group);
  return `All keys of the workspace share a limit. What this console asks for is counted too, and paced to a tenth of each.${unseen.length > 0 ? ` No answer stated the limit of ${unseen.join(', ')} yet.` : ''}`;
}

/** Which limit is used most, and how far. */
function mostUsed({ groups, windowMs }: ConsoleLimits): string {
  const [most] = groups
    .flatMap((of) => {
      const share = shareOf(of);
      return share === undefined ? [] : [{ group: of.group, share }];
    })
    .sort((a, b) => b.share - a.share);
  if (!most) return 'No limit is set';
  const when = `in the last ${windowWords(windowMs!)}`;
  return most.share === 0
    ? `No request counted ${when}`
    : `Most used ${when}: ${most.group}, ${percent(most.share)} of its limit`;
}

const columnsOf = ({ exact, turnedAway, windowMs }: ConsoleLimits): readonly Column<ConsoleLimit>[] => [
  {
    title: 'Group',
    cell: ({ group, covers }) => (
      <>
        <a href={`/limits?group=${group}`}>{group}</a> <span class="note wide">{covers}</span>
      </>
    ),
  },
  {
    title: exact ? `Last ${windowWords(windowMs!)}` : 'Used',
    note: 'requests, of the limit',
    cell: (of) =>
      of.limit !== null ? (
        <Gauge of={of} />
      ) : of.byMinute ? (
        `${count(lastMinute(of.byMinute))}, no limit`
      ) : (
        'no limit'
      ),
  },
  ...(exact
    ? [
        {
          title: 'Last hour',
          note: 'requests a minute',
          wide: true,
          cell: (of: ConsoleLimit) =>
            of.byMinute && (
              <Spark
                label={`${of.group}: requests each minute of the last hour, at most ${count(busiest(of))}`}
                // Without the minute that is not over, which looks like a decrease.
                values={of.byMinute.slice(0, -1)}
              />
            ),
        },
        {
          title: 'Busiest minute',
          note: 'with what was refused',
          align: 'end' as const,
          wide: true,
          cell: (of: ConsoleLimit) => {
            const most = busiest(of);
            // With the requests to other processes, or of two minutes, it was reached.
            const isMore = turnedAway !== null && turnedAwayOf(turnedAway, of.group) > 0;
            return (
              <>
                {count(most)}
                {of.limit !== null && windowMs === MINUTE_MS && most > 0 && (most >= of.limit || !isMore) && (
                  <span class="note"> {percent(most / of.limit)} of the limit</span>
                )}
              </>
            );
          },
        },
      ]
    : []),
  ...(turnedAway
    ? [
        {
          title: 'Turned away',
          note: youngWords(turnedAway),
          align: 'end' as const,
          cell: ({ group }: ConsoleLimit) => {
            const n = turnedAwayOf(turnedAway, group);
            return n === 0 ? '0' : <span class="warned">{count(n)}</span>;
          },
        },
        {
          title: 'To do',
          align: 'end' as const,
          wide: true,
          // Of the others, the detail of a limit has it.
          cell: (of: ConsoleLimit) =>
            ((shareOf(of) ?? 0) >= NEARLY || turnedAwayOf(turnedAway, of.group) > 0) && (
              <ChangeLimit of={of} />
            ),
        },
      ]
    : []),
];

/** Requests of this minute or of the one before, whichever had more: this one may have just begun. */
const lastMinute = (byMinute: readonly number[]) => Math.max(...byMinute.slice(-2));

/** A window in words, after `last`. */
const windowWords = (ms: number) => (ms === MINUTE_MS ? 'minute' : duration(ms));
