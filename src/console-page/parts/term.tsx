import type { VNode } from 'preact';
import { useId } from 'preact/hooks';

/** What words of the field mean, in a sentence or two. */
const MEANINGS = {
  learned: 'Chosen by what the model has learned of each content and of users like this one.',
  'held out':
    'A small share of users is kept out of learning: their contents are chosen evenly. What learning gains is measured against them.',
  'tried to learn': 'Chosen to learn more of a content, not because it is the best known one.',
  P95: '95 % took this long or less; 5 % took longer.',
  'count as served':
    'A decision counts as served once an app has fetched its message, or at once where its channel is not fetched by an app.',
  hashId: 'The userId, hashed with a key of this workspace: it names a user and tells nothing personal.',
  tapped: 'Clicked or actioned by the user, as the app reported.',
} as const;

/** A word of the field, or another `word` for it, which says on hover what it means, and when it is pressed. */
export function Term({ of, word = of }: { of: keyof typeof MEANINGS; word?: string }): VNode {
  const id = useId();
  return (
    <>
      <button type="button" class="term" popovertarget={id} title={MEANINGS[of]}>
        {word}
      </button>
      <span class="meaning" popover="auto" id={id}>
        {MEANINGS[of]}
      </span>
    </>
  );
}
