import type { ComponentChildren, VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import type { Filters } from '../../data/filters.ts';
import { count, counted } from '../../parts/numbers.ts';
import { keptRange, rangeWords } from '../../parts/range.tsx';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { Advice } from './advice.tsx';
import {
  deliveredWords,
  failureSentence,
  type Notification,
  reasonWords,
  sentence,
  TERMS,
} from './notification-words.ts';

/** What is known of all notifications of the user and the times that are chosen. */
export interface Head extends Pick<AnswerOf<'listNotifications'>, 'counts' | 'failures'> {
  /** The latest of those that are held. */
  readonly held?: readonly Notification[];
}

/** So many of a state are counted; there may be more. */
const COUNTED = 5_000;

export const atLeast = (n: number): string => `${count(n)}${n >= COUNTED ? '+' : ''}`;

export const sumOf = (counts: NonNullable<Head['counts']>): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0);

/** Reasons that are shown at once. */
const MOST_REASONS = 4;

/** What was sent, what failed and why, each with what to do, and what waits until when. A line lists its notifications. */
export function Became({ of, filters }: { of: Head; filters: Filters }): VNode | null {
  const { counts, failures = [], held = [] } = of;
  const { status, failure } = filters.values;
  if (!counts || sumOf(counts) === 0) return null;
  const line = (
    chosen: Filters['values'],
    title: string,
    n: number,
    words: string,
    more: ComponentChildren,
  ) => {
    const isChosen = failure ? chosen.failure === failure : !chosen.failure && chosen.status === status;
    return (
      <li key={`${title} ${words}`} class={chosen.failure ? undefined : 'plain'}>
        <button
          type="button"
          aria-pressed={isChosen}
          title={cleaned(chosen.failure ?? title)}
          onClick={() => filters.set({ failure: '', status: '', ...(isChosen ? {} : chosen) })}
        >
          <strong>
            {atLeast(n)} {title}
          </strong>{' '}
          <Cut of={words} long />
        </button>{' '}
        {more}
      </li>
    );
  };
  const state = (name: 'delivered' | 'dispatched' | 'queued', title: string = name) =>
    counts[name] > 0 &&
    line(
      { status: name },
      title,
      counts[name],
      '',
      name === title
        ? TERMS.find(([term]) => term === name)?.[1]
        : 'Nobody got them: a test workspace sends nothing.',
    );
  const failed = failures.map(({ failure: reason, count: n }) =>
    line({ failure: reason }, 'failed', n, failureSentence(reason), <Advice of={reason} />),
  );
  const rest = failed.slice(MOST_REASONS);
  return (
    <Box title={titleOf(counts, filters)} label="What became of them">
      <ul class="reason-chips lines" aria-label="What became of them">
        {state('delivered', deliveredWords())}
        {state('dispatched')}
        {failed.slice(0, MOST_REASONS)}
        {[...byReason(held)].map(([words, until]) =>
          line(
            { status: 'held' },
            'held',
            until.length === held.length ? counts.held : until.length,
            words,
            <Until times={until} all={held.length === counts.held} />,
          ),
        )}
        {state('queued')}
      </ul>
      {rest.length > 0 && (
        <details class="figures">
          <summary>{counted(rest.length, 'other reason')}</summary>
          <ul class="reason-chips lines">{rest}</ul>
        </details>
      )}
    </Box>
  );
}

function titleOf(counts: NonNullable<Head['counts']>, { values }: Filters): string {
  const all = sumOf(counts);
  const { failed, held } = counts;
  const when = keptRange(values) === '' ? '' : ` ${rangeWords(values)}`;
  return `${failed === 0 ? 'None' : atLeast(failed)} of ${counted(all, 'notification')}${all >= COUNTED ? ' or more' : ''} failed${when}${held > 0 ? `, ${atLeast(held)} wait${held === 1 ? 's' : ''} until later` : ''}`;
}

/** Until when notifications are held, by why. */
function byReason(held: readonly Notification[]): Map<string, string[]> {
  const by = new Map<string, string[]>();
  for (const { history, heldUntil } of held) {
    const last = history.findLast(({ status }) => status === 'held');
    const words = sentence((last && reasonWords(last)?.replace(/^held back: /, '')) ?? 'held back');
    by.set(words, [...(by.get(words) ?? []), heldUntil ?? '']);
  }
  return by;
}

/** Until when they wait; `all` of them, or only the latest are known. */
function Until({ times, all }: { times: readonly string[]; all: boolean }): VNode {
  const sorted = times.filter((time) => time !== '').sort();
  const [first = ''] = sorted;
  const last = sorted.at(-1)!;
  return (
    <>
      {first !== last && 'the first '}until <Time at={first} />
      {first !== last && (
        <>
          , the last until <Time at={last} />
        </>
      )}
      {!all && ', of the latest that wait'}
    </>
  );
}
