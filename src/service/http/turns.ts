import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { Turn } from '../store/store.ts';

/** The parts of a validated request that determine which rows it locks. */
interface LockedBy<N extends EndpointName> {
  readonly body: RequestOf<N>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Maximum number of concurrent writes of a kind that share one row or lock. Together they are fewer than the
 * connections of a node, so that a locked row leaves connections for other work.
 */
const WIDTHS = { outcomes: 3, ingest: 5 };

const TURNS: { readonly [N in EndpointName]?: (request: LockedBy<N>) => Turn[] } = {
  decide: ({ body }) => [{ name: `user ${body.hashId}` }],
  ingestUsers: ({ body }) => body.users.map(({ userId }) => ({ name: `identity ${userId}` })),
  ingestEvents: () => [{ name: 'ingest', width: WIDTHS.ingest }],
  messageOutcome: ({ params }) => outcome('message', params.decisionId!),
  notificationOutcome: ({ params }) => outcome('notification', params.id!),
  updateWebhook: ({ params }) => webhook(params.id!),
  rotateWebhook: ({ params }) => webhook(params.id!),
  deleteWebhook: ({ params }) => webhook(params.id!),
  redeliver: ({ params }) => webhook(params.id!),
};

const outcome = (kind: string, id: string): Turn[] => [
  { name: `${kind} ${id}` },
  { name: 'outcomes', width: WIDTHS.outcomes },
];
const webhook = (id: string): Turn[] => [{ name: `webhook ${id}` }];

/** The turns that a request waits for before it takes a connection (Store.write). */
export function turnsOf<N extends EndpointName>(
  name: N,
  workspaceId: string,
  request: LockedBy<N>,
  idempotencyKey: string | undefined,
): Turn[] {
  const turns = TURNS[name]?.(request) ?? [];
  const all = idempotencyKey === undefined ? turns : [...turns, { name: `key ${idempotencyKey}` }];
  return all.map((turn) => ({ ...turn, name: `${workspaceId} ${turn.name}` }));
}
