import type { ComponentChildren, VNode } from 'preact';

export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad';

/** A word in a coloured field. The word alone says what it means; the colour repeats it. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }): VNode {
  return <span class={`badge ${tone}`}>{children}</span>;
}
