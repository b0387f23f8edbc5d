import type { CatalogFile } from './schema.ts';

type Content = CatalogFile['contents'][number];
type Template = NonNullable<CatalogFile['templates']>[number];
type Goal = NonNullable<CatalogFile['goals']>[number];

/** The parts of a catalog that are checked for what its schema does not say. What the schema refuses is undefined. */
interface Entries {
  readonly contents: readonly (Content | undefined)[];
  readonly templates: readonly (Template | undefined)[];
  readonly goals: readonly (Goal | undefined)[];
  /** The identifiers, also of entries that the schema refuses. */
  readonly contentIds: readonly (string | undefined)[];
  readonly templateIds: readonly (string | undefined)[];
  readonly goalIds: readonly (string | undefined)[];
  readonly settings: CatalogFile['settings'];
}

/** The entries of a catalog that its schema accepts. */
export function entriesOf({ contents, templates = [], goals = [], settings }: CatalogFile): Entries {
  return {
    contents,
    templates,
    goals,
    contentIds: contents.map(({ contentId }) => contentId),
    templateIds: templates.map(({ templateId }) => templateId),
    goalIds: goals.map(({ goalId }) => goalId),
    settings,
  };
}

/** The entries that are valid by themselves, of a catalog with errors at these paths: so all errors are found at once. */
export function readableEntries(
  value: unknown,
  issues: readonly { readonly path: readonly PropertyKey[] }[],
): Entries {
  const { contents, templates, goals, settings } = (value ?? {}) as Partial<
    Record<keyof CatalogFile, unknown>
  >;
  const wrong = new Set(issues.map(({ path }) => path.slice(0, 2).join('.')));
  const wrongLists = new Set(issues.map(({ path }) => String(path[0])));
  const valid = <T>(list: unknown, name: string): (T | undefined)[] =>
    listOf(list).map((entry, i) => (wrong.has(name) || wrong.has(`${name}.${i}`) ? undefined : (entry as T)));
  return {
    contents: valid<Content>(contents, 'contents'),
    templates: valid<Template>(templates, 'templates'),
    goals: valid<Goal>(goals, 'goals'),
    contentIds: listOf(contents).map((entry) => idOf(entry, 'contentId')),
    templateIds: listOf(templates).map((entry) => idOf(entry, 'templateId')),
    goalIds: listOf(goals).map((entry) => idOf(entry, 'goalId')),
    settings: wrongLists.has('settings') ? undefined : (settings as CatalogFile['settings']),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function idOf(entry: unknown, key: string): string | undefined {
  const id = (entry as Record<string, unknown> | null | undefined)?.[key];
  return typeof id === 'string' ? id : undefined;
}
