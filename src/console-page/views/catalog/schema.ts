import document from '../../../../docs/catalog.schema.json' with { type: 'json' };

/** The part of a JSON schema (draft 2020-12) that forms are made from. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

/** What can be edited: a list of the catalog, and the member that identifies its entries. */
export const LISTS = {
  contents: { id: 'contentId', one: 'content', title: 'Contents' },
  templates: { id: 'templateId', one: 'template', title: 'Templates' },
  goals: { id: 'goalId', one: 'goal', title: 'Goals' },
} as const;
export type ListName = keyof typeof LISTS;

export type Entry = Readonly<Record<string, unknown>>;
export type Catalog = Readonly<Record<string, unknown>>;

/** The schema of an entry of a list, without its identifier: another name is another entry. */
export function schemaOf(list: ListName): Schema {
  const { properties } = document as unknown as { properties: Record<ListName, Schema> };
  const { [LISTS[list].id]: _, ...editable } = properties[list].items!.properties!;
  return { ...properties[list].items!, properties: editable };
}

/** The entries of a list of a catalog. */
export function entriesOf(catalog: Catalog, list: ListName): readonly Entry[] {
  const found = catalog[list];
  return Array.isArray(found) ? found : [];
}

/** The catalog with another list of entries. */
export const withEntries = (catalog: Catalog, list: ListName, entries: readonly Entry[]): Catalog => ({
  ...catalog,
  [list]: entries,
});

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What an entry does at a time (Unix ms). */
export function stateOf(entry: Entry, now: number): 'active' | 'paused' | 'scheduled' | 'ended' {
  if (Date.parse(textOf(entry.activeUntil)) <= now) return 'ended';
  if (entry.paused === true) return 'paused';
  return Date.parse(textOf(entry.activeFrom)) > now ? 'scheduled' : 'active';
}

/** An entry to begin with. */
export function emptyEntry(list: ListName, id: string): Entry {
  if (list === 'goals') return { goalId: id, event: id, within: '7d' };
  return list === 'contents'
    ? { contentId: id, category: 'general', format: 'card', title: 'Title', body: '' }
    : { templateId: id, priority: 'marketing', title: 'Title', body: 'Text' };
}
