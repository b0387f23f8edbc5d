import { isDeepStrictEqual } from 'node:util';

/** A difference between two catalogs. */
export interface CatalogChange {
  /** Names joined by points; contents and templates by their identifier. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed' | 'reordered';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The lists of a catalog, and what identifies their entries. */
const IDS: Readonly<Record<string, string>> = {
  contents: 'contentId',
  templates: 'templateId',
  'events.plan': 'event',
};

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** The changes that lead from one catalog to another, by path; none if and only if they are equal. */
export function catalogChanges(before: Members, after: Members): CatalogChange[] {
  return changesIn(before, after, '', (path, a, b) => {
    const id = IDS[path];
    if (!id || !Array.isArray(a) || !Array.isArray(b)) return undefined;
    const [from, to] = [byId(a, id), byId(b, id)];
    if (!from || !to) return undefined;
    const kept = [...from.keys()].filter((key) => to.has(key));
    const order = [...to.keys()].filter((key) => from.has(key));
    return [
      ...changesIn(Object.fromEntries(from), Object.fromEntries(to), path, () => undefined),
      ...(isDeepStrictEqual(kept, order) ? [] : [{ path, change: 'reordered' as const }]),
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

function changesIn(
  before: Members,
  after: Members,
  path: string,
  special: (path: string, before: unknown, after: unknown) => CatalogChange[] | undefined,
): CatalogChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): CatalogChange[] => {
    const at = path ? `${path}.${name}` : name;
    const [a, b] = [before[name], after[name]];
    if (!Object.hasOwn(before, name)) return [{ path: at, change: 'added', after: b }];
    if (!Object.hasOwn(after, name)) return [{ path: at, change: 'removed', before: a }];
    if (isDeepStrictEqual(a, b)) return [];
    const inner = special(at, a, b);
    if (inner) return inner;
    if (isMembers(a) && isMembers(b)) return changesIn(a, b, at, special);
    return [{ path: at, change: 'changed', before: a, after: b }];
  });
}

/** True for a JSON object. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
