import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

export const HELD_OUT =
  'A small share of users is kept out of learning: their contents are chosen evenly. What learning gains is measured against them.';

/** What words of the field mean, in a sentence or two. */
const MEANINGS = {
  learned: 'Chosen by what the model has learned of each content and of users like this one.',
  'held out': HELD_OUT,
  'tried to learn': 'Chosen to learn more of a content, not because it is the best known one.',
  P95: '95 % took this long or less; 5 % took longer.',
  'count as served':
    'A decision counts as served once an app has fetched its message, or at once where its channel is not fetched by an app.',
  hashId: 'The userId, hashed with a key of this workspace: it names a user and tells nothing personal.',
  active:
    'Sent an event, got a decision, or did something with a message. “At least”: only the latest activity is looked through.',
} as const;

/** Words of a view, each with its meaning. */
export type Meanings = readonly (readonly [term: string, meaning: string])[];

/** A word of the field, or another `word` for it, which says on hover what it means, and when it is pressed. */
export function Term({ of, word = of }: { of: keyof typeof MEANINGS; word?: string }): VNode {
  return (
    <Explained word={word} title={MEANINGS[of]}>
      {MEANINGS[of]}
    </Explained>
  );
}

/** What the words of a view mean, where they stand in many rows. */
export function Terms({ of }: { of: Meanings }): VNode {
  return (
    <Explained word="Explain terms">
      <dl>
        {of.map(([term, meaning]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Explained>
  );
}

/** A word that opens what it means beside it, above the page. */
function Explained(props: { word: string; title?: string; children: ComponentChildren }): VNode {
  const id = useId();
  return (
    <>
      <button type="button" class="term" popovertarget={id} title={props.title}>
        {props.word}
      </button>
      <div class="meaning" popover="auto" id={id}>
        {props.children}
      </div>
    </>
  );
}
