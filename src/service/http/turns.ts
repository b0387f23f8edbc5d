import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { Turn } from '../store/store.ts';

/** The parts of a validated request that determine which rows it locks. */
interface Asked<N extends EndpointName> {
  readonly body: RequestOf<N>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Concurrent writes of a kind that share one row or lock. Their sum is below the size of the connection pool, so that
 * a long lock on that row leaves connections for other requests.
 */
const MAX_WRITES = { outcomes: 3, ingest: 5 };

const TURNS: { readonly [N in EndpointName]?: (asked: Asked<N>) => Turn[] } = {
  decide: ({ body }) => [{ key: `user ${body.hashId}` }],
  ingestUsers: ({ body }) => body.users.map(({ userId }) => ({ key: `identity ${userId}` })),
  ingestEvents: () => [{ key: 'ingest', max: MAX_WRITES.ingest }],
  messageOutcome: ({ params }) => outcome('message', params.decisionId!),
  notificationOutcome: ({ params }) => outcome('notification', params.id!),
  updateWebhook: ({ params }) => webhook(params.id!),
  rotateWebhook: ({ params }) => webhook(params.id!),
  deleteWebhook: ({ params }) => webhook(params.id!),
  redeliver: ({ params }) => webhook(params.id!),
};

const outcome = (kind: string, id: string): Turn[] => [
  { key: `${kind} ${id}` },
  { key: 'outcomes', max: MAX_WRITES.outcomes },
];
const webhook = (id: string): Turn[] => [{ key: `webhook ${id}` }];

/** The concurrency limits of a request, acquired before it takes a connection (Store.write). */
export function turnsOf<N extends EndpointName>(
  name: N,
  workspaceId: string,
  asked: Asked<N>,
  idempotencyKey: string | undefined,
): Turn[] {
  const own = TURNS[name]?.(asked) ?? [];
  const all = idempotencyKey === undefined ? own : [...own, { key: `key ${idempotencyKey}` }];
  return all.map((turn) => ({ ...turn, key: `${workspaceId} ${turn.key}` }));
}
