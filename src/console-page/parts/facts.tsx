import type { ComponentChildren, VNode } from 'preact';

export interface Fact {
  readonly name: ComponentChildren;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}

/** Facts as cards in a row, as at the head of a detail. */
export function Cards({ facts }: { facts: readonly Fact[] }): VNode {
  return (
    <dl class="cards">
      {facts.map(({ name, value, note }) => (
        <div class="card">
          <dt>{name}</dt>
          <dd class="value">{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** Facts as lines, as in a panel. */
export function Facts({ facts }: { facts: readonly Fact[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(({ name, value, note }) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {value}
            {note !== undefined && <span class="note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
