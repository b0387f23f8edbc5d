/** A difference between two catalogs. */
export interface CatalogDifference {
  /** The names that lead to it; contents, templates, goals and planned events by their identifier. */
  readonly names: readonly string[];
  readonly change: 'added' | 'removed' | 'changed' | 'reordered';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The lists of a catalog, and what identifies their entries. */
const IDS: Readonly<Record<string, string>> = {
  contents: 'contentId',
  templates: 'templateId',
  goals: 'goalId',
  'events.plan': 'event',
};

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** The differences that lead from one catalog to another; none if and only if they are equal. */
export function catalogDifferences(before: Members, after: Members): CatalogDifference[] {
  return differencesIn(before, after, [], (names, a, b) => {
    const id = IDS[names.join('.')];
    if (!id || !Array.isArray(a) || !Array.isArray(b)) return undefined;
    const [from, to] = [byId(a, id), byId(b, id)];
    if (!from || !to) return undefined;
    const kept = [...from.keys()].filter((key) => to.has(key));
    const order = [...to.keys()].filter((key) => from.has(key));
    return [
      ...differencesIn(Object.fromEntries(from), Object.fromEntries(to), names, () => undefined),
      ...(isSame(kept, order) ? [] : [{ names, change: 'reordered' as const }]),
    ];
  });
}

/** Entries by identifier; undefined if not every entry has one of its own. */
function byId(entries: readonly unknown[], id: string): Map<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const entry of entries) {
    const key = isMembers(entry) ? entry[id] : undefined;
    if (typeof key !== 'string' || key === '__proto__' || found.has(key)) return undefined;
    found.set(key, entry);
  }
  return found;
}

function differencesIn(
  before: Members,
  after: Members,
  path: readonly string[],
  special: (names: readonly string[], before: unknown, after: unknown) => CatalogDifference[] | undefined,
): CatalogDifference[] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...members].flatMap((name): CatalogDifference[] => {
    const names = [...path, name];
    const [a, b] = [before[name], after[name]];
    if (!Object.hasOwn(before, name)) return [{ names, change: 'added', after: b }];
    if (!Object.hasOwn(after, name)) return [{ names, change: 'removed', before: a }];
    if (isSame(a, b)) return [];
    const inner = special(names, a, b);
    if (inner) return inner;
    if (isMembers(a) && isMembers(b)) return differencesIn(a, b, names, special);
    return [{ names, change: 'changed', before: a, after: b }];
  });
}

/** True if two values of JSON are the same, in whatever order their members are. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, i) => isSame(each, b[i]));
  if (!isMembers(a) || !isMembers(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

/** True for a JSON object. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
