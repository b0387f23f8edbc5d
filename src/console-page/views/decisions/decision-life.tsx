import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { type ListedMessage, MessageLife, StateBadge } from '../../parts/message-life.tsx';
import { type Decision, earnedWords } from './decision-words.ts';

/** What became of the message of a decision, with times, and what that earned. */
export function DecisionLife({ decision, message }: { decision: Decision; message: ListedMessage }): VNode {
  return (
    <>
      <h3>
        Its message <StateBadge of={message.state} />
      </h3>
      <MessageLife
        of={message}
        end={decision.reward === null ? undefined : `earned ${earnedWords(decision)} so far`}
      />
    </>
  );
}

/** The decisions of the same user before and after one. */
export function Neighbours({ of: { decisionId, hashId, at } }: { of: Decision }): VNode | null {
  const { search } = useFilters();
  const { value } = useResource(hashId === '' ? undefined : `beside ${decisionId}`, async (signal) => {
    const since = new Date(Date.parse(at) + 1).toISOString();
    const found = await Promise.all([
      call('listDecisions', { query: { hashId, until: at, order: 'newest', limit: 1 }, signal }),
      call('listDecisions', { query: { hashId, since, order: 'oldest', limit: 1 }, signal }),
    ]);
    return found.map(({ decisions }) => decisions[0]);
  });
  const [before, after] = value ?? [];
  const linkTo = (to: Decision | undefined, words: string) =>
    to && <a href={`/decisions/${encodeURIComponent(to.decisionId)}${search}`}>{words}</a>;
  return (
    <p class="neighbours">
      {linkTo(before, '← Earlier of this user')} {linkTo(after, 'Later of this user →')}
    </p>
  );
}
