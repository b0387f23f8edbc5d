import { validate } from '../../contract/validation.ts';
import { type Catalog, toCatalog } from './catalog.ts';
import type { CatalogGoal as Goal } from './goal-schema.ts';
import type { CatalogIssue } from './issue.ts';
import { contentTextIssues, excludedTexts } from './localized.ts';
import { entriesOf, readableEntries } from './readable-entries.ts';
import { CatalogFile } from './schema.ts';
import { placeholderWarnings, templateIssues } from './templates/check-templates.ts';

/** The catalog is invalid; the message lists every error with its path. */
export class CatalogError extends Error {
  readonly issues: readonly CatalogIssue[];

  constructor(issues: readonly CatalogIssue[]) {
    super(issues.map(({ path, message }) => `${path} ${message}`).join('\n'));
    this.name = 'CatalogError';
    this.issues = issues;
  }
}

/** Maximum size of a catalog file: every process keeps it in memory, and parses it after each change. */
const MAX_CATALOG_BYTES = 16 * 1024 * 1024;
/** Maximum number of pairs of event and days in all rules: every decision counts each of them. */
const MAX_WINDOWS = 64;

/** Parses and validates the text of a catalog file. Throws CatalogError with the path of each error. */
export function parseCatalog(text: string): Catalog {
  if (Buffer.byteLength(text) > MAX_CATALOG_BYTES)
    throw new CatalogError([{ path: 'the file', message: 'is larger than 16 MiB' }]);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CatalogError([{ path: 'the file', message: `is not JSON: ${(error as Error).message}` }]);
  }
  return catalogOf(value);
}

/** Validates a catalog. Throws CatalogError with the path of each error. */
function catalogOf(value: unknown): Catalog {
  const checked = validate(CatalogFile, value);
  const readable = checked.ok ? entriesOf(checked.value) : readableEntries(value, checked.issues);
  const { contents, templates, goals, settings } = readable;
  const issues = [
    ...(checked.ok ? [] : schemaIssues(checked)),
    ...duplicates(readable.contentIds, 'contents', 'contentId'),
    ...duplicates(readable.templateIds, 'templates', 'templateId'),
    ...duplicates(readable.goalIds, 'goals', 'goalId'),
    ...endsBeforeItStarts(contents, 'contents'),
    ...endsBeforeItStarts(templates, 'templates'),
    ...unknownContents(new Set(readable.contentIds), settings),
    ...unknownGoals(new Set(readable.goalIds), settings),
    ...learnedGuards(goals, settings),
    ...contentTextIssues(contents),
    ...templateIssues(templates),
    ...textIssues(checked.ok ? checked.value : { contents, templates, goals, settings }, []),
  ];
  if (!checked.ok || issues.length > 0) throw new CatalogError(issues);
  const catalog = toCatalog(checked.value);
  if (catalog.windows.length > MAX_WINDOWS) {
    const message = `use more than ${MAX_WINDOWS} different pairs of event and withinDays; reduce their number`;
    throw new CatalogError([{ path: 'contents', message }]);
  }
  return catalog;
}

/** The errors of the schema, one for each unknown field. */
function schemaIssues({
  issues,
  details,
}: Extract<ReturnType<typeof validate>, { ok: false }>): CatalogIssue[] {
  return issues.flatMap((issue, i) => {
    const { message } = details[i]!;
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return paths.map((path) => ({ path: pathOf(path), message }));
  });
}

/** The texts that no database stores as they are: PostgreSQL no U+0000, and neither engine half a surrogate pair. */
function* textIssues(value: unknown, path: readonly PropertyKey[]): Generator<CatalogIssue> {
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed())
      yield { path: pathOf(path), message: 'contains an unpaired surrogate or U+0000' };
  } else if (typeof value === 'object' && value !== null) {
    const list = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) {
      if (!list) yield* textIssues(key, path);
      yield* textIssues(member, [...path, list ? Number(key) : key]);
    }
  }
}

/** What a catalog may have, but hardly is meant to: what has ended by `now` (Unix ms), and placeholders that stay text. */
export function catalogWarnings(value: unknown, now: number): CatalogIssue[] {
  const checked = validate(CatalogFile, value);
  const { contents, templates, goals, settings } = checked.ok
    ? entriesOf(checked.value)
    : readableEntries(value, checked.issues);
  return [
    ...ended(contents, 'contents', now),
    ...ended(templates, 'templates', now),
    ...excludedTexts(contents),
    ...placeholderWarnings(templates),
    ...guardsWithoutHoldout(goals, settings),
  ].slice(0, MAX_ISSUES);
}

function ended(entries: readonly (Dated | undefined)[], list: string, now: number): CatalogIssue[] {
  return entries.flatMap(({ activeUntil } = {}, i) =>
    activeUntil !== undefined && Date.parse(activeUntil) <= now
      ? [{ path: `${list}[${i}].activeUntil`, message: 'is past: it is not used any more' }]
      : [],
  );
}

/** Errors and warnings that are listed, at most of each. */
const MAX_ISSUES = 100;

/** The errors of a catalog with their paths, up to 100; none if it is valid. */
export function catalogIssues(value: unknown): CatalogIssue[] {
  try {
    catalogOf(value);
    return [];
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    return error.issues.slice(0, MAX_ISSUES);
  }
}

function pathOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path)
    text += typeof part === 'number' ? `[${part}]` : `${text ? '.' : ''}${String(part)}`;
  return text || 'the file';
}

function duplicates(ids: readonly (string | undefined)[], list: string, key: string): CatalogIssue[] {
  const seen = new Map<string, number>();
  return ids.flatMap((id, i) => {
    if (id === undefined) return [];
    const first = seen.get(id);
    seen.set(id, first ?? i);
    return first === undefined
      ? []
      : [{ path: `${list}[${i}].${key}`, message: `is the same as that of ${list}[${first}]` }];
  });
}

function unknownContents(
  known: ReadonlySet<string | undefined>,
  settings: CatalogFile['settings'],
): CatalogIssue[] {
  return (settings?.placements ?? []).flatMap(({ weights }, i) =>
    Object.keys(weights)
      .filter((contentId) => !known.has(contentId))
      .map((contentId) => ({
        path: `settings.placements[${i}].weights.${contentId}`,
        message: 'is not a content of this catalog',
      })),
  );
}

function unknownGoals(
  known: ReadonlySet<string | undefined>,
  settings: CatalogFile['settings'],
): CatalogIssue[] {
  const { goal, goals = {} } = settings?.reward ?? {};
  const message = 'is not a goal of this catalog';
  return [
    ...(goal === undefined || known.has(goal) ? [] : [{ path: 'settings.reward.goal', message }]),
    ...Object.keys(goals)
      .filter((goalId) => !known.has(goalId))
      .map((goalId) => ({ path: `settings.reward.goals.${goalId}`, message })),
  ];
}

/** A guard limits what is learned, so it cannot be what is learned. */
function learnedGuards(
  goals: readonly (Goal | undefined)[],
  settings: CatalogFile['settings'],
): CatalogIssue[] {
  const { goal: only, goals: weights = {} } = settings?.reward ?? {};
  return goals.flatMap((goal, i) =>
    goal?.guard && (goal.goalId === only || (weights[goal.goalId] ?? 0) > 0)
      ? [{ path: `goals[${i}].guard`, message: 'is of a goal that settings.reward learns' }]
      : [],
  );
}

/** A guard compares with the holdout group. */
function guardsWithoutHoldout(
  goals: readonly (Goal | undefined)[],
  settings: CatalogFile['settings'],
): CatalogIssue[] {
  if ((settings?.holdout ?? 0) > 0) return [];
  const message = 'does nothing: there is no holdout group to compare with (settings.holdout)';
  return goals.flatMap((goal, i) => (goal?.guard ? [{ path: `goals[${i}].guard`, message }] : []));
}

interface Dated {
  readonly activeFrom?: string | undefined;
  readonly activeUntil?: string | undefined;
}

function endsBeforeItStarts(entries: readonly (Dated | undefined)[], list: string): CatalogIssue[] {
  return entries.flatMap(({ activeFrom, activeUntil } = {}, i) =>
    !activeFrom || !activeUntil || Date.parse(activeFrom) < Date.parse(activeUntil)
      ? []
      : [{ path: `${list}[${i}].activeUntil`, message: 'must be later than activeFrom' }],
  );
}
