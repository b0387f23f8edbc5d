import type { EndpointName, RequestOf } from '../../contract/endpoints.ts';
import type { Turn } from '../store/store.ts';

/** The parts of a checked request that say which rows it will lock. */
interface Asked<N extends EndpointName> {
  readonly body: RequestOf<N>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Writes of one kind at a time, where one row or lock is shared by all of them: fewer than the connections of a node
 * together, so that whatever holds that row leaves connections to everything else.
 */
const WIDTHS = { outcomes: 3, ingest: 5 };

const TURNS: { readonly [N in EndpointName]?: (asked: Asked<N>) => Turn[] } = {
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

/** What a request has to wait for before it takes a connection (Store.write). */
export function turnsOf<N extends EndpointName>(
  name: N,
  workspaceId: string,
  asked: Asked<N>,
  idempotencyKey: string | undefined,
): Turn[] {
  const own = TURNS[name]?.(asked) ?? [];
  const all = idempotencyKey === undefined ? own : [...own, { name: `key ${idempotencyKey}` }];
  return all.map((turn) => ({ ...turn, name: `${workspaceId} ${turn.name}` }));
}
