import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../contract/errors.ts';
import type { Call, Endpoints } from '../http/endpoint.ts';
import { due } from '../platform/store/due.ts';
import type { Retention } from '../platform/store/retained-logs.ts';
import type { Catalog } from './catalog.ts';
import { type CatalogHead, catalogVersions } from './catalog-versions.ts';
import { type StoredCatalog, serviceCatalog, storedCatalog } from './follow.ts';
import type { CatalogIssue } from './issue.ts';
import { catalogIssues, catalogWarnings, parseCatalog } from './parse.ts';
import { checkRetention, RetentionTooShort } from './retention.ts';

/** Versions on a page. */
const PAGE = 100;

/** What a change says of itself. */
type Change = { readonly author?: string | undefined; readonly note?: string | undefined };

/** What what is stored says of a valid catalog, such as of the events that its goals name or its plan has. */
type Notices = (tx: Call['tx'], workspaceId: string, catalog: Catalog) => Promise<CatalogIssue[]>;

/** The endpoints of the catalog. `retained`: how long `serve --retain` keeps the logs that its rules read. */
export const catalogEndpoints = (retained: () => Retention, notices: readonly Notices[]): Endpoints => ({
  getCatalog: async ({ tx, workspace }) => {
    const { current, file } = await storedCatalog(
      tx,
      workspace.id,
      await catalogVersions.head(tx, workspace.id),
    );
    const lead = file === undefined ? { readOnly: false } : { readOnly: true, reason: ledBy(file) };
    return { body: { ...view(current), ...lead, catalog: parsed(current.text) } };
  },

  putCatalog: async (call) => {
    const { catalog, ifVersion, ...change } = call.body as Call<'putCatalog'>['body'];
    const state = await writable(call);
    if (ifVersion !== undefined && ifVersion !== state.current.version)
      throw new ServiceError(
        'conflict',
        `The catalog has version ${state.current.version} by now, not ${ifVersion}. Read it again and repeat the change.`,
      );
    const issues = catalogIssues(catalog);
    if (issues.length > 0)
      throw new ServiceError(
        'invalid_request',
        undefined,
        issues.map(({ path, message }) => ({ field: path, message })),
      );
    const body = JSON.stringify(catalog);
    assertWithinRetention(retained(), body);
    const warnings = [
      ...catalogWarnings(catalog, call.now),
      ...(await noticesOf(notices, call, parseCatalog(body))),
    ];
    return { body: { ...(await store(call, state, body, change, null)), warnings } };
  },

  validateCatalog: async (call) => {
    const { body, now } = call;
    const issues = catalogIssues(body.catalog);
    const valid = issues.length === 0;
    const found = valid ? await noticesOf(notices, call, parseCatalog(JSON.stringify(body.catalog))) : [];
    return { body: { valid, issues, warnings: [...catalogWarnings(body.catalog, now), ...found] } };
  },

  listCatalogVersions: async ({ tx, workspace, query }) => {
    const { after, since, until } = query;
    const filter = {
      before: after === undefined ? undefined : Number(after),
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
    };
    const { rows, more } = await catalogVersions.page(tx, workspace.id, filter, PAGE);
    const { current } = await storedCatalog(tx, workspace.id, await catalogVersions.head(tx, workspace.id));
    return {
      body: {
        current: current.version,
        versions: rows.map(({ at, ...row }) => ({ ...row, createdAt: new Date(at).toISOString() })),
        ...(more ? { next: String(rows.at(-1)!.version) } : {}),
      },
    };
  },

  getCatalogVersion: async ({ tx, workspace, params }) => {
    const found = await versionNumbered(tx, workspace.id, params.version!);
    return { body: { ...view(found), catalog: parsed(found.text) } };
  },

  revertCatalog: async (call) => {
    const { tx, workspace } = call;
    const { to, over, ...change } = call.body as Call<'revertCatalog'>['body'];
    const state = await writable(call);
    const { version } = state.current;
    const target = await versionNumbered(tx, workspace.id, String(to ?? Math.max(0, state.head.version - 1)));
    const others = (await catalogVersions.authorsAfter(tx, workspace.id, target.version)).filter(
      (author) => author !== (change.author ?? null),
    );
    if (others.length > 0 && over !== version)
      throw new ServiceError(
        'conflict',
        `This would undo changes by ${namesOf(others)}. To do so, name the version in force, ${version}, in \`over\`.`,
      );
    const issues = catalogIssues(parsed(target.text));
    if (issues.length > 0)
      throw new ServiceError(
        'conflict',
        `Version ${target.version} is no longer valid: ${issues[0]!.path} ${issues[0]!.message}.`,
      );
    assertWithinRetention(retained(), target.text);
    return { body: await store(call, state, target.text, change, target.version) };
  },
});

interface State {
  readonly head: CatalogHead;
  readonly current: StoredCatalog;
}

async function noticesOf(
  notices: readonly Notices[],
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  catalog: Catalog,
): Promise<CatalogIssue[]> {
  const found: CatalogIssue[] = [];
  for (const notice of notices) found.push(...(await notice(tx, workspace.id, catalog)));
  return found;
}

/** Locks the catalog of the workspace for a change. Throws conflict where a file is the authority. */
async function writable({ tx, workspace }: Pick<Call, 'tx' | 'workspace'>): Promise<State> {
  const head = await catalogVersions.lockForUpdate(tx, workspace.id);
  const { current, file } = await storedCatalog(tx, workspace.id, head);
  if (file !== undefined) throw new ServiceError('conflict', ledBy(file));
  return { head, current };
}

/** Throws conflict for a catalog whose rules read further back than events and decisions are kept (serve --retain). */
function assertWithinRetention(retained: Retention, body: string): void {
  try {
    checkRetention(retained, parseCatalog(body));
  } catch (error) {
    if (error instanceof RetentionTooShort) throw new ServiceError('conflict', `${error.message}.`);
    throw error;
  }
}

async function store(
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  { head, current }: State,
  body: string,
  { author = null, note = null }: { readonly [K in keyof Change]: Change[K] | null },
  revertOf: number | null,
): Promise<object> {
  if (isDeepStrictEqual(parsed(body), parsed(current.text))) return { ...view(current), unchanged: true };
  const version = head.version + 1;
  await catalogVersions.add(tx, workspace.id, { version, author, note, revertOf, body });
  // The events that its rules and goals count may be others.
  await due.mark(tx, workspace.id, 'index');
  await due.mark(tx, workspace.id, 'goals');
  return { ...view({ version, at: tx.now, author, note }), unchanged: false };
}

async function versionNumbered(tx: Call['tx'], workspaceId: string, text: string): Promise<StoredCatalog> {
  if (text === '0') return serviceCatalog(tx);
  const found = /^\d{1,12}$/.test(text)
    ? await catalogVersions.get(tx, workspaceId, Number(text))
    : undefined;
  if (found) return { ...found, text: found.body };
  throw new ServiceError('not_found', 'No version has this number, or it is no longer kept.');
}

/** Authors that an error names. */
const MAX_NAMED = 5;

function namesOf(authors: readonly (string | null)[]): string {
  const names = authors.slice(0, MAX_NAMED).map((author) => author ?? 'somebody who was not named');
  const more = authors.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} others` : '');
}

const ledBy = (path: string) =>
  `${basename(path)} manages the catalog (svc serve --catalog): edit that file, or start the nodes without --catalog.`;

const parsed = (text: string) => JSON.parse(text.replace(/^\uFEFF/, ''));

function view({ version, at, author, note }: Omit<StoredCatalog, 'text'>): object {
  return { version, author, note, createdAt: at === 0 ? null : new Date(at).toISOString() };
}
