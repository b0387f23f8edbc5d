import type { VNode } from 'preact';

/** Words of a view, each with its meaning. */
export type Meanings = readonly (readonly [term: string, meaning: string])[];

/** What the words of a view mean, behind a line that opens. */
export function Terms({ of }: { of: Meanings }): VNode {
  return (
    <details class="figures terms">
      <summary>Explain terms</summary>
      <dl>
        {of.map(([term, meaning]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
