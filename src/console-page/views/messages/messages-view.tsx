import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { apiCommand, svcCommand } from '../../data/about.ts';
import { call, search } from '../../data/api.ts';
import { type Filters, useFilters } from '../../data/filters.ts';
import { useListEvery, usePages } from '../../data/resource.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { type ListedMessage, outcomeWord, STATES, StateBadge } from '../../parts/message-life.tsx';
import { count } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Cut } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { UserLink } from '../../parts/user-link.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { ByContent } from './by-content.tsx';
import { MessagePanel } from './message-panel.tsx';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'user' },
  { name: 'contentId', label: 'Content', kind: 'text', placeholder: 'any' },
  { name: 'surface', label: 'Surface', kind: 'text', placeholder: 'any' },
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    options: [['', 'Any state'], ...STATES.map(([state]) => [state, outcomeWord(state)] as const)],
  },
];

/** How often the service looks further for messages of a filter before the page asks whether to go on. */
const MOST_LOOKS = 5;

/** Every message with what became of it, newest first, and one beside the list. None is served by being looked at. */
export function MessagesView(): VNode {
  const filters = useFilters();
  const { hashId, contentId, surface, state, open } = filters.values;
  const range = rangeOf(filters);
  const query = { hashId, contentId, surface, state };
  const [settled, setSettled] = useState(false);
  const isNarrow = Object.values({ ...query, ...range }).some(Boolean);
  const pages = usePages(JSON.stringify([query, keptRange(filters.values)]), async (first, signal) => {
    let after = first;
    for (let looks = 1; ; looks++) {
      const { messages, next }: AnswerOf<'listLatestMessages'> = await call('listLatestMessages', {
        query: { ...query, ...range, after },
        signal,
      });
      if (messages.length > 0 || !next || looks === MOST_LOOKS) return { items: messages, next };
      after = next;
    }
  });
  useListEvery(trendEveryMs(), pages);
  const [opened, setOpened] = useState<{ readonly message: ListedMessage; readonly at: number }>();
  // The panel may have been read later than the list.
  const isNewer = opened !== undefined && opened.at > (pages.readAt ?? 0);
  const newest = (each: ListedMessage) =>
    isNewer && each.decisionId === opened.message.decisionId ? opened.message : each;
  return (
    <>
      <ViewHead
        title="Messages"
        summary={pages.items.length > 0 && <Summary of={pages.items.map(newest)} filters={filters} />}
        command={apiCommand('/v1/messages/latest', { ...query, ...range })}
        readAt={pages.readAt}
        every={trendEveryMs()}
        refresh={pages.reload}
      />
      <div class="toolbar">
        <FilterBar filters={filters} fields={FIELDS} inline />
        <RangeControl filters={filters} />
        <Terms of={STATES.map(([state, meaning]) => [outcomeWord(state), meaning])} />
      </div>
      {!hashId && <ByContent filters={filters} settled={() => setSettled(true)} />}
      {/* It is loaded meanwhile, and shown once what stands above it has its height. */}
      <div hidden={!hashId && !settled}>
        <PagedList
          what="the messages"
          pages={pages}
          empty={
            <Empty
              title={isNarrow ? 'No messages match.' : 'No messages yet.'}
              command={svcCommand('decide', '--hash-id', hashId || 'HASH_ID', '--channel', 'in-app')}
            >
              <p>A decision makes one, which waits until an app fetches it:</p>
            </Empty>
          }
        >
          {(items) => (
            <Table
              label="Messages"
              dense
              rows={items.map(newest)}
              keyOf={({ decisionId }) => decisionId}
              current={({ decisionId }) => decisionId === open}
              columns={columnsOf((id) => filters.set({ open: id }))}
              filters={filters}
            />
          )}
        </PagedList>
      </div>
      {open && (
        <MessagePanel
          key={open}
          id={open}
          close={() => filters.set({ open: '' })}
          changed={pages.reload}
          seen={(message) => setOpened({ message, at: Date.now() })}
        />
      )}
    </>
  );
}

/** Messages of which none was fetched that say that no app asks for them. */
const MANY = 20;

/** How many of those that are listed are in which state; each leads to these alone. */
function Summary({ of, filters }: { of: readonly ListedMessage[]; filters: Filters }): VNode {
  const counted = STATES.map(
    ([state]) => [state, of.filter((message) => message.state === state).length] as const,
  ).filter(([, n]) => n > 0);
  // They pile up where no app asks for them.
  const isUnasked =
    of.length >= MANY && of.every(({ state, servedAt }) => state === 'waiting' && servedAt === null);
  if (isUnasked && !filters.values.state)
    return (
      <>
        <Badge tone="warn">waiting</Badge> no app has fetched any of the latest {count(of.length)}, since{' '}
        <Time at={of.at(-1)!.at} />
      </>
    );
  return (
    <>
      of the latest {count(of.length)}:{' '}
      {counted.map(([state, n], i) => (
        <>
          {i > 0 && ' · '}
          <a href={`/messages${search({ ...filters.values, state })}`}>{outcomeWord(state)}</a> {count(n)}
        </>
      ))}
    </>
  );
}

/** How long an answer took; undefined without one. */
function answeredAfter({ at, servedAt, outcomes }: ListedMessage): number | undefined {
  const last = outcomes.at(-1);
  return last && Math.max(0, Date.parse(last.at) - Date.parse(servedAt ?? at));
}

const columnsOf = (open: (id: string) => void): readonly Column<ListedMessage>[] => [
  {
    title: 'Content',
    cell: ({ decisionId, contentId }) => (
      <>
        <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />
        <button type="button" class="row-button" onClick={() => open(decisionId)}>
          <Cut of={contentId} />
        </button>
      </>
    ),
    sortBy: ({ contentId }) => contentId,
  },
  {
    title: 'State',
    cell: ({ state }) => <StateBadge of={state} />,
    sortBy: ({ state }) => STATES.findIndex(([each]) => each === state),
  },
  {
    title: 'User',
    wide: true,
    cell: ({ hashId }) => <UserLink of={hashId} />,
  },
  {
    title: 'Surface',
    wide: true,
    cell: ({ context }) => <Cut of={context.surface ?? '–'} />,
    sortBy: ({ context }) => context.surface ?? '',
  },
  {
    title: 'Locale',
    wide: true,
    cell: ({ context }) => <Cut of={context.locale ?? '–'} />,
    sortBy: ({ context }) => context.locale ?? '',
  },
  {
    title: 'Answered after',
    wide: true,
    align: 'end',
    cell: (message) => {
      const ms = answeredAfter(message);
      return ms === undefined ? '–' : duration(ms);
    },
    sortBy: (message) => answeredAfter(message) ?? -1,
  },
  { title: 'Decided', align: 'end', cell: ({ at }) => <Time at={at} />, sortBy: ({ at }) => at },
];
