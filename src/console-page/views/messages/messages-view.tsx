import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { about, flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { type Filters, useFilters } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { ByContent } from './by-content.tsx';
import { GroupPanel, MessageGroups } from './message-groups.tsx';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'text', placeholder: 'hashId' },
  { name: 'surface', label: 'Surface', kind: 'text', placeholder: 'any' },
  { name: 'channel', label: 'Channel', kind: 'text', placeholder: 'any' },
];

/**
 * The pending messages of a user as an app would show them, with the outcomes that the app would report. They are not
 * served by being looked at.
 */
export function MessagesView(): VNode {
  const filters = useFilters();
  const { hashId = '', surface, channel } = filters.values;
  const ready = hashId !== '';
  const [settled, setSettled] = useState(false);
  const pages = usePages(
    ready ? JSON.stringify([hashId, surface, channel]) : undefined,
    async (after, signal) => {
      const { messages, next } = await call('peekMessages', {
        params: { hashId },
        query: { surface, channel, after },
        signal,
      });
      return { items: messages, next };
    },
  );
  const pending = pages.items.map((message) => ({ hashId, message }));
  return (
    <>
      <ViewHead
        title="Messages"
        summary={
          ready
            ? !pages.loading && counted(pages.items.length, 'pending message')
            : 'what was shown and tapped, and what waits for an app or an answer'
        }
        command={
          ready
            ? svcCommand('messages', 'list', '--peek', ...flagsOf({ hashId, surface, channel }))
            : undefined
        }
        refresh={ready ? pages.reload : undefined}
      />
      <div class="toolbar">
        <FilterBar filters={filters} fields={FIELDS} inline />
        {!ready && <RangeControl filters={filters} all={false} />}
      </div>
      {!ready && <ByContent filters={filters} settled={() => setSettled(true)} />}
      {!ready && (
        // It is loaded meanwhile, and shown once what stands above it has its height.
        <Latest filters={filters} hidden={!settled} />
      )}
      {ready && (
        <PagedList
          what="the messages"
          pages={pages}
          empty={
            <Empty
              title="No pending messages."
              command={svcCommand('decide', ...flagsOf({ hashId, channel: channel || 'in-app', surface }))}
            >
              <p>A decision for this user makes one:</p>
            </Empty>
          }
        >
          {() => <MessageGroups label="Pending messages" items={pending} filters={filters} />}
        </PagedList>
      )}
      {ready && <GroupPanel items={pending} filters={filters} />}
    </>
  );
}

/** Users whose messages are shown where no user is chosen; few before a remote service, which counts each read. */
const usersShown = () => (about.value?.local ? 20 : 2);

/** The pending messages of the users who had a decision last. */
function Latest({ filters, hidden }: { filters: Filters; hidden: boolean }): VNode {
  const range = rangeOf(filters);
  const pages = usePages(`latest ${keptRange(filters.values)}`, async (_, signal) => {
    const { decisions } = await call('listDecisions', {
      query: { ...range, order: 'newest', limit: '100' },
      signal,
    });
    const users = [...new Set(decisions.map(({ hashId }) => hashId))].slice(0, usersShown());
    const items = await Promise.all(
      users.map(async (hashId) => {
        const { messages } = await call('peekMessages', { params: { hashId }, signal });
        return messages.map((message) => ({ hashId, message }));
      }),
    );
    return { items: items.flat(), next: null };
  });
  return (
    <>
      <div hidden={hidden}>
        <PagedList
          what="the latest messages"
          pages={pages}
          empty={
            <Empty
              title="No messages wait for the users of the latest decisions."
              command={svcCommand('decide', '--user-id', 'u_1', '--channel', 'in-app')}
            >
              <p>Choose a user above, or make a decision, whose message waits until an app fetches it:</p>
            </Empty>
          }
        >
          {(items) => (
            <section class="latest" aria-label="Messages that wait">
              <h2>
                {counted(items.length, 'message waits', 'messages wait')} for the users of the latest
                decisions
              </h2>
              <MessageGroups label="Latest messages" items={items} filters={filters} />
            </section>
          )}
        </PagedList>
      </div>
      <GroupPanel items={pages.items} filters={filters} />
    </>
  );
}
