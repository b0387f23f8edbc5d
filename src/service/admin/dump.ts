import { readPage } from '../platform/store/pages.ts';
import { NUMBERED_LOGS } from '../platform/store/retained-logs.ts';
import { LOG_TABLES } from '../platform/store/retention/log-tables.ts';
import { removals } from '../platform/store/retention/removals.ts';
import type { SqlValue, Store } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';

/** `optional` is a text that is left out where there is none; `origin` is that of an event. */
type Kind = 'text' | 'optional' | 'origin' | 'time' | 'json' | 'number';

/** How one kind of record is exported: its table, its key within a workspace, and the column of each field. */
interface Source {
  readonly table: string;
  readonly key: readonly string[];
  readonly fields: Readonly<Record<string, readonly [column: string, kind: Kind]>>;
}

/**
 * The exported records. Not exported are keys and secrets, personal fields (encrypted with the data key), and the
 * service's internal state.
 */
export const SOURCES = {
  user: {
    table: 'app_user',
    key: ['hash_id'],
    fields: {
      userId: ['user_id', 'text'],
      hashId: ['hash_id', 'text'],
      timeZone: ['time_zone', 'text'],
      locale: ['locale', 'text'],
      updatedAt: ['updated_at', 'time'],
    },
  },
  event: {
    table: 'event',
    key: ['number'],
    fields: {
      userId: ['user_id', 'text'],
      event: ['event', 'text'],
      timestamp: ['timestamp', 'text'],
      properties: ['properties', 'json'],
      eventId: ['event_id', 'optional'],
      origin: ['origin', 'origin'],
      receivedAt: ['received_at', 'time'],
    },
  },
  decision: {
    table: 'decision',
    key: ['seq'],
    fields: {
      decisionId: ['decision_id', 'text'],
      hashId: ['hash_id', 'text'],
      at: ['at_ms', 'time'],
      context: ['context', 'json'],
      contentId: ['content_id', 'text'],
      candidates: ['candidates', 'json'],
      reward: ['reward', 'number'],
    },
  },
  message: {
    table: 'message',
    key: ['decision_id'],
    fields: {
      decisionId: ['decision_id', 'text'],
      hashId: ['hash_id', 'text'],
      contentId: ['content_id', 'text'],
      format: ['format', 'text'],
      at: ['at_ms', 'time'],
    },
  },
  notification: {
    table: 'notification',
    key: ['notification_id'],
    fields: {
      notificationId: ['notification_id', 'text'],
      hashId: ['hash_id', 'text'],
      templateId: ['template_id', 'text'],
      channel: ['channel', 'text'],
      priority: ['priority', 'text'],
      status: ['status', 'text'],
      history: ['history', 'json'],
      createdAt: ['created_at', 'time'],
    },
  },
  outcome: {
    table: 'outcome',
    key: ['kind', 'id', 'type'],
    fields: { of: ['kind', 'text'], id: ['id', 'text'], outcome: ['type', 'text'], at: ['at_ms', 'time'] },
  },
  webhook: {
    table: 'webhook',
    key: ['webhook_id'],
    fields: {
      id: ['webhook_id', 'text'],
      url: ['url', 'text'],
      events: ['events', 'json'],
      status: ['status', 'text'],
      createdAt: ['created_at', 'time'],
    },
  },
  delivery: {
    table: 'delivery',
    key: ['delivery_id'],
    fields: {
      deliveryId: ['delivery_id', 'text'],
      webhookId: ['webhook_id', 'text'],
      event: ['kind', 'text'],
      status: ['status', 'text'],
      attempts: ['attempts', 'number'],
      occurredAt: ['occurred_at', 'time'],
      body: ['body', 'json'],
    },
  },
} as const satisfies Record<string, Source>;

export type DumpKind = keyof typeof SOURCES;

/** Maximum rows of a page; long rows make it shorter. */
const PAGE = 500;
/** Workspaces that are listed at a time. */
const WORKSPACES = 100;

type Row = Record<string, SqlValue>;

/**
 * Exports the records of a kind, each as JSON text: `{"type", "workspace", …}`, workspace by workspace. Numbered records
 * come oldest first. JSON from clients is exported verbatim. Records are read page by page so that writers are not
 * blocked; records added during the export may be included. After the records of a log from which old ones were removed
 * comes a record of the type `removal`.
 */
export async function* dump(store: Store, kind: DumpKind): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const ids = await store.read((tx) => workspaces.ids(tx, after, WORKSPACES));
    for (const id of ids) yield* dumpOf(store, kind, id);
    if (ids.length < WORKSPACES) return;
    after = ids.at(-1)!;
  }
}

async function* dumpOf(store: Store, kind: DumpKind, workspaceId: string): AsyncGenerator<string> {
  const { table, key, fields }: Source = SOURCES[kind];
  const columns = [...new Set(['workspace_id', ...key, ...Object.values(fields).map(([column]) => column)])];
  const long = Object.values(fields).flatMap(([column, type]) =>
    type === 'time' || type === 'number' ? [] : [column],
  );
  let after: SqlValue[] = [];
  for (let more = true; more; ) {
    const placeholders = key.map(() => '?').join(', ');
    const behind = after.length > 0 ? ` AND (${key.join(', ')}) > (${placeholders})` : '';
    const query = {
      columns: columns.join(', '),
      long,
      from: `${table} WHERE workspace_id = ?${behind}`,
      params: [workspaceId, ...after],
      order: key.join(', '),
      limit: PAGE,
    };
    const page = await store.read((tx) => readPage<Row>(tx, query));
    for (const row of page.rows) yield line(kind, row, fields);
    more = page.more;
    if (more) after = key.map((column) => page.rows.at(-1)![column]!);
  }
  yield* removalOf(store, table, workspaceId);
}

/** What was removed by age of an exported table, also while it was exported. */
async function* removalOf(store: Store, table: string, workspaceId: string): AsyncGenerator<string> {
  const log = NUMBERED_LOGS.find((name) => LOG_TABLES[name].table === table);
  const removed = log && (await store.read((tx) => removals.of(tx, workspaceId, log)));
  if (!removed) return;
  const removedBefore = new Date(removed.before).toISOString();
  yield JSON.stringify({ type: 'removal', workspace: workspaceId, of: log, removedBefore });
}

function line(kind: DumpKind, row: Row, fields: Source['fields']): string {
  const parts = Object.entries(fields).flatMap(([name, [column, type]]) => {
    const stored = row[column] ?? null;
    return stored === null && type === 'optional' ? [] : [`"${name}":${value(stored, type)}`];
  });
  return `{"type":"${kind}","workspace":${JSON.stringify(row.workspace_id)},${parts.join(',')}}`;
}

function value(stored: SqlValue, type: Kind): string {
  if (type === 'origin') return JSON.stringify(stored ?? 'server');
  if (stored === null) return 'null';
  if (type === 'json') return String(stored).replace(/[\r\n]+/g, ' ');
  if (type === 'time') return JSON.stringify(new Date(Number(stored)).toISOString());
  return JSON.stringify(type === 'number' ? Number(stored) : stored);
}
