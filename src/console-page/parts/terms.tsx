import type { VNode } from 'preact';

/** What the words of a view mean, behind a line that opens. */
export function Terms({ of }: { of: readonly (readonly [term: string, meaning: string])[] }): VNode {
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
