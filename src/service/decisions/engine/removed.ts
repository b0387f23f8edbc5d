import type { Content } from '../../catalog/content.ts';
import type { Removal } from './eligibility.ts';

/** The contents that a rule excluded from a decision. */
export interface Removed {
  /** `others` stands for further rules, together. */
  readonly rule: Removal['rule'] | 'others';
  /** The trait, event, category or goal of the rule. */
  readonly name?: string;
  readonly count: number;
  /** The first of them, in the order of the catalog. */
  readonly contentIds: readonly string[];
}

/** Contents of a rule that are named. */
const MAX_NAMED = 3;

/** Splits contents into those that no rule excludes and, by rule in order of appearance, the others. */
export function separate(
  contents: readonly Content[],
  removalOf: (content: Content) => Removal | null,
): { left: Content[]; removed: Removed[] } {
  const left: Content[] = [];
  const removed = new Map<string, Removed & { count: number; contentIds: string[] }>();
  for (const content of contents) {
    const removal = removalOf(content);
    if (removal === null) {
      left.push(content);
      continue;
    }
    const key = 'name' in removal ? `${removal.rule} ${removal.name}` : removal.rule;
    const group = removed.get(key);
    if (!group) removed.set(key, { ...removal, count: 1, contentIds: [content.contentId] });
    else if (group.count++ < MAX_NAMED) group.contentIds.push(content.contentId);
  }
  return { left, removed: [...removed.values()] };
}
