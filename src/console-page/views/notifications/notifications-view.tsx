import type { VNode } from 'preact';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { LinkList, Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { NotificationDetail } from './notification-detail.tsx';
import { STATE_TONES, stateTone, stateWords } from './notification-words.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'text', placeholder: 'hashId' },
  { name: 'since', label: 'Since', kind: 'text', placeholder: '2026-03-01T00:00:00Z' },
  {
    name: 'status',
    label: 'State',
    kind: 'choice',
    options: [['', 'All'], ...Object.keys(STATE_TONES).map((state) => [state, state] as const)],
  },
];

/** Notifications, newest first, and the delivery record of one: /notifications and /notifications/ID. */
export function NotificationsView(): VNode {
  const filters = useFilters();
  const id = usePathPart('/notifications');
  const { hashId, since, status } = filters.values;
  const query = { hashId, since, status };
  const pages = usePages(JSON.stringify(query), async (after, signal) => {
    const { notifications, next } = await call('listNotifications', { query: { ...query, after }, signal });
    return { items: notifications, next };
  });
  return (
    <Split
      back={`/notifications${filters.search}`}
      list={
        <>
          <ViewHead
            title="Notifications"
            summary={pages.items.length > 0 && `the latest ${counted(pages.items.length, 'notification')}`}
            command={svcCommand('notifications', 'list', ...flagsOf(query))}
            refresh={pages.reload}
          />
          <FilterBar filters={filters} fields={FIELDS} />
          <PagedList
            what="the notifications"
            pages={pages}
            empty={
              <Empty
                title="No notifications match."
                command={svcCommand(
                  'notifications',
                  'trigger',
                  ...flagsOf({ hashId: hashId || 'HASH_ID', template: 'welcome', channel: 'email' }),
                )}
              >
                <p>A system of yours triggers one, or a command:</p>
              </Empty>
            }
          >
            {(items) => (
              <LinkList
                label="Notifications"
                current={id}
                items={items.map((item) => ({
                  key: item.notificationId,
                  href: `/notifications/${encodeURIComponent(item.notificationId)}${filters.search}`,
                  at: item.history[0]?.at ?? '',
                  title: <Text of={item.templateId} />,
                  note: <Text of={`${item.channel} · ${item.priority}`} />,
                  badges: <Badge tone={stateTone(item)}>{stateWords(item)}</Badge>,
                }))}
              />
            )}
          </PagedList>
        </>
      }
      detail={id === undefined ? undefined : <NotificationDetail id={id} key={id} />}
    />
  );
}
