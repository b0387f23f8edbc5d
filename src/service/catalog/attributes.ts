import { hash32 } from '../../kit/hash32.ts';

/** Attributes that a model learns, and that a catalog gives to its contents, at most. */
export const MAX_ATTRIBUTES = 200;
/** Tags of a content, at most. */
export const MAX_TAGS = 10;
/** Attributes of a content, at most: its tags and its format. */
export const MAX_OF_CONTENT = MAX_TAGS + 1;

/** So many attributes of a content count in full; more share the weight of these. */
const FULL = 3;

interface Described {
  readonly format: string;
  readonly tags?: readonly string[] | undefined;
}

/**
 * The attributes of each content of a catalog, as hashes: its format and tags, from which contents learn of one another
 * across categories. One that all contents have, or only one has, tells nothing of another content and is left out. The
 * most frequent ones are kept if there are too many; of equally frequent ones the first in the catalog.
 */
export function attributesOf(contents: readonly Described[]): readonly (readonly number[])[] {
  const every = contents.map(({ format, tags = [] }) => [
    ...new Set([`format ${format}`, ...tags.map((tag) => `tag ${tag}`)].map(hash32)),
  ]);
  const counts = new Map<number, number>();
  for (const attribute of every.flat()) counts.set(attribute, (counts.get(attribute) ?? 0) + 1);
  const kept = new Set(
    [...counts]
      .filter(([, count]) => count > 1 && count < contents.length)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_ATTRIBUTES)
      .map(([attribute]) => attribute),
  );
  return every.map((attributes) => attributes.filter((attribute) => kept.has(attribute)));
}

/** Factor on the effect of each of so many attributes: many tags must not make a content less certain than a few. */
export const scaleOf = (attributes: number): number => Math.min(1, Math.sqrt(FULL / Math.max(attributes, 1)));
