import type { ComponentChildren } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { Badge } from '../../parts/badge.tsx';
import type { IconName } from '../../parts/icons.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import type { TimelineItem } from '../../parts/timeline.tsx';

export type Entry = AnswerOf<'getUserTimeline'>['items'][number];

const ICONS: Readonly<Record<Entry['kind'], IconName>> = {
  event: 'live',
  decision: 'decision',
  message: 'message',
  outcome: 'check',
  notification: 'bell',
};

/** An entry of the timeline in words, with a link to what it belongs to. */
export function timelineItem(entry: Entry, index: number): TimelineItem {
  return {
    key: `${entry.kind} ${entry.id} ${entry.at} ${index}`,
    at: entry.at,
    icon: ICONS[entry.kind],
    kind: entry.kind,
    ...words(entry),
  };
}

function words(entry: Entry): { title: ComponentChildren; body?: ComponentChildren } {
  const decision = `/decisions/${encodeURIComponent(entry.id)}`;
  const notification = `/notifications/${encodeURIComponent(entry.id)}`;
  switch (entry.kind) {
    case 'event':
      return { title: <Text of={entry.event ?? ''} /> };
    case 'decision':
      return {
        title: <a href={decision}>{entry.contentId ? <Text of={entry.contentId} /> : 'no action'}</a>,
        body: (
          <>
            <Text of={Object.values(entry.context ?? {}).join(' · ')} />
            {entry.reward !== null && entry.reward !== undefined && entry.reward > 0 && (
              <>
                {' '}
                <Badge tone="good">rewarded {Number(entry.reward.toFixed(3))}</Badge>
              </>
            )}
          </>
        ),
      };
    case 'message':
      return {
        title: (
          <a href={decision}>
            <Text of={entry.title ?? entry.contentId ?? ''} />
          </a>
        ),
        body: (
          <>
            {entry.format} waiting
            {entry.surface && (
              <>
                {' on '}
                <Text of={entry.surface} />
              </>
            )}
            ,{' '}
            {entry.servedAt ? (
              <>
                first served at <Time at={entry.servedAt} />
              </>
            ) : (
              'not served yet'
            )}
          </>
        ),
      };
    case 'outcome':
      return {
        title: <a href={entry.of === 'notification' ? notification : decision}>{entry.outcome}</a>,
        body: <Text of={`of a ${entry.of ?? 'message'} ${entry.contentId ?? entry.templateId ?? ''}`} />,
      };
    case 'notification':
      return {
        title: (
          <a href={notification}>
            <Text of={entry.templateId ?? ''} />
          </a>
        ),
        body: (
          <>
            <Text of={[entry.channel, entry.status, entry.reason].filter(Boolean).join(' · ')} />
            {entry.heldUntil !== undefined && (
              <>
                {' until '}
                <Time at={entry.heldUntil} />
              </>
            )}
          </>
        ),
      };
  }
}
