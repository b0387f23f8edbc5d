import { SvcError } from '../../../cli/errors/svc-error.ts';
import type { Client } from '../../../client/client.ts';
import {
  type ExportColumn,
  type ExportType,
  exportFields,
  REMOTE_EXPORTS,
} from '../../../contract/export.ts';
import type { Clock } from '../../../kit/clock.ts';
import { objectOf } from '../../../kit/object-of.ts';
import type { Cursor, Span } from '../../../service/admin/admin.ts';

/** Where the next page begins: given by the page before. */
export type After = Cursor | string;

/** A page of records as columns; times are Unix ms. */
export interface Page {
  readonly columns: Readonly<Record<string, ExportColumn>>;
  readonly rows: number;
  /** Undefined on the last page. */
  readonly next: After | undefined;
  /** Records from before this time, Unix ms, were removed by age. */
  readonly removedBefore?: number | undefined;
}

/** What is exported from: a database, or a service. */
export interface Source {
  /** The workspaces with identifiers above one, some of them, in order. */
  workspaces(after: string): Promise<readonly string[]>;
  page(workspace: string, type: ExportType, after: After | undefined): Promise<Page>;
  /** Whether a workspace is a copy that is not complete. */
  isUnfinishedCopy(workspace: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Reads a database itself. Rejects as `openForExport` does. */
export async function openDatabase(database: string, span: Span, clock: Clock): Promise<Source> {
  const { openForExport } = await import('../../../service/admin/admin.ts');
  const { workspaces, page, isUnfinishedCopy, close } = await openForExport(database, clock);
  return {
    workspaces,
    page: (workspace, type, after) => page(workspace, type, span, after as Cursor | undefined),
    isUnfinishedCopy,
    close,
  };
}

/** Reads a service, as its client may. */
export function openService(
  { client, workspace }: { readonly client: Client; readonly workspace: string },
  span: Span,
  signal: AbortSignal,
): Source {
  const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  return {
    workspaces: async (after) => (after === '' ? [workspace] : []),
    page: async (_, type, after) => {
      const [name] = Object.entries(REMOTE_EXPORTS).find(([, each]) => each === type)!;
      const { body } = await client.call('exportRecords', {
        params: { type: name },
        query: { since: isoOf(span.since), until: isoOf(span.until), after: after as string | undefined },
        signal,
      });
      return pageOf(type, body);
    },
    // A service answers 503 for one.
    isUnfinishedCopy: async () => false,
    close: async () => {},
  };
}

/** Checks a page of a service. Throws if it is not one: nothing of it may be written. */
function pageOf(type: ExportType, body: unknown): Page {
  const { columns, rows, next, removedBefore } = objectOf(body);
  const found = objectOf(columns);
  const checked = exportFields(type).map(([name, [kind]]): [string, ExportColumn] => {
    const column = found[name];
    if (!Array.isArray(column) || column.length !== rows) throw notAPage();
    const valid = kind === 'integer' || kind === 'double' ? 'number' : 'string';
    for (const value of column) if (value !== null && typeof value !== valid) throw notAPage();
    if (kind !== 'time') return [name, column];
    const times = column.map((text) => (text === null ? null : Date.parse(text)));
    if (times.some(Number.isNaN)) throw notAPage();
    return [name, times];
  });
  if (next !== null && typeof next !== 'string') throw notAPage();
  const removed = typeof removedBefore === 'string' ? Date.parse(removedBefore) : undefined;
  return {
    columns: Object.fromEntries(checked),
    rows: rows as number,
    next: next ?? undefined,
    removedBefore: removed,
  };
}

const notAPage = () =>
  new SvcError('unavailable', 'the answer of the service is not a page of an export', {
    hint: (invocation) => `diagnose it: ${invocation.onSameService('doctor')}`,
  });
