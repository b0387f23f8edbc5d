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
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
}

/** What can be edited: a list of the catalog, and the member that identifies its entries. */
export const LISTS = {
  contents: { id: 'contentId', one: 'content', title: 'Contents' },
  templates: { id: 'templateId', one: 'template', title: 'Templates' },
  goals: { id: 'goalId', one: 'goal', title: 'Goals' },
} as const;
export type ListName = keyof typeof LISTS;

/** The member that has the texts of an entry by locale. */
export const TRANSLATIONS: Readonly<Partial<Record<ListName, string>>> = {
  contents: 'texts',
  templates: 'locales',
};

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
    ? { contentId: id, category: 'general', format: 'card', title: '', body: '' }
    : { templateId: id, priority: 'marketing', title: '', body: '' };
}

/** The texts that new contents and templates lack: the service would take them, and users would get nothing to read. */
export function unwritten(before: Catalog, after: Catalog): { path: string; message: string }[] {
  return (['contents', 'templates'] as const).flatMap((list) => {
    const { id } = LISTS[list];
    const known = new Set(entriesOf(before, list).map((entry) => entry[id]));
    return entriesOf(after, list).flatMap((entry, i) =>
      known.has(entry[id])
        ? []
        : (['title', 'body'] as const)
            .filter((name) => textOf(entry[name]).trim() === '')
            .map((name) => ({ path: `${list}[${i}].${name}`, message: 'Write what users read here.' })),
    );
  });
}

/** True if nothing was written yet at a path of a catalog: `contents[0].texts.de.title`. */
export function isUnfilled(catalog: Catalog, path: string): boolean {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  const value = names.reduce<unknown>(
    (of, name) => (of as Record<string, unknown> | undefined)?.[name],
    catalog,
  );
  return value === undefined || value === '';
}

/** The members of an entry in the order and groups in which a person thinks of them; what is in none comes last. */
const GROUPS: Readonly<Record<ListName, readonly (readonly [title: string, names: readonly string[]])[]>> = {
  contents: [
    ['What it says', ['title', 'body', 'texts', 'format', 'category']],
    ['When', ['activeFrom', 'activeUntil', 'paused']],
    ['Where', ['channels', 'surfaces']],
    ['Who, and how often', ['locales', 'eligibility', 'repeat']],
    ['What is assumed and learned', ['prior', 'tags']],
  ],
  templates: [
    ['What it says', ['title', 'body', 'locales']],
    ['Texts of a channel', ['sms', 'email', 'push', 'whatsapp']],
    ['When', ['activeFrom', 'activeUntil', 'paused', 'quietHours', 'validForMinutes']],
    ['Where, and how often', ['channels', 'priority', 'category', 'cap']],
  ],
  goals: [
    ['What counts', ['event', 'where', 'value', 'negative']],
    ['For which decisions', ['within', 'after', 'attribute', 'contents', 'categories', 'surface']],
    ['If the goal is bad', ['guard']],
  ],
};

/** The groups of the members of an entry, each with the names of its members. */
export function groupsOf(list: ListName): readonly (readonly [title: string, names: readonly string[]])[] {
  const known = GROUPS[list].flatMap(([, names]) => names);
  const rest = Object.keys(schemaOf(list).properties ?? {}).filter((name) => !known.includes(name));
  return rest.length === 0 ? GROUPS[list] : [...GROUPS[list], ['More', rest]];
}

/** What members are called where their name is one of the schema, by their path or their name. */
const LABELS: Readonly<Record<string, string>> = {
  format: 'Shown as',
  prior: 'Assumed share of rewards',
  eligibility: 'Who may get it',
  traits: 'What is known of the user',
  events: 'What the user did lately',
  repeat: 'How often a user may get it',
  cooldownMinutes: 'Minutes until it may be chosen again',
  mostPerUser: 'At most so often for a user',
  afterOutcomeMinutes: 'Minutes after it was dismissed or acted on',
  tags: 'In common with others',
  priority: 'For',
  cap: 'At most, to a user',
  perDay: 'A day',
  perWeek: 'In seven days',
  validForMinutes: 'Sent at most so many minutes late',
  html: 'HTML',
  sms: 'SMS',
  email: 'E-mail',
  whatsapp: 'WhatsApp',
  locales: 'Only users with these locales',
  texts: 'Translations',
  where: 'Only events with',
  within: 'Counts for so long',
  after: 'Counts from when it was',
  attribute: 'Counts for which decision',
  value: 'What an event is worth',
  'value.property': 'By its property',
  'value.from': 'Worth 0 at',
  'value.to': 'Worth 1 at',
  negative: 'What takes it back',
  'negative.match': 'The same property in both',
  contents: 'Only contents',
  categories: 'Only categories',
  surface: 'Only on the surface',
  guard: 'Take out contents that lead to it',
  worseThan: 'Once they lead to it so much more often',
  'guard.from': 'Compared from',
  exists: 'Is set',
  oneOf: 'One of',
  atLeast: 'At least',
  atMost: 'At most',
  withinDays: 'In so many days',
};

/** A member in words: `activeFrom` is `Active from`. `path` leads to it in its entry: `repeat.mostPerUser`. */
export function labelOf(path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const text = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[path] ?? LABELS[name] ?? text.charAt(0).toUpperCase() + text.slice(1);
}
