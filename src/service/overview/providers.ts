import { OUTBOX_NO_PROVIDER, OUTBOX_TEST } from '../notifications/rules/dispatch.ts';
import type { HistoryEntry } from '../notifications/store/notification-rows.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { Tx } from '../platform/store/store.ts';

/** The latest notifications of each state that are looked at. */
const LOOKED_AT = 200;
/** So many attempts that failed, within half a minute, are more than an accident. */
const ATTEMPTS = 3;

/** What the latest notifications say of the providers. */
interface Results {
  readonly taken: readonly { readonly channel: string; readonly history: readonly HistoryEntry[] }[];
  readonly failed: readonly {
    readonly channel: string;
    readonly history: readonly HistoryEntry[];
    readonly failure: string | null;
  }[];
  /** Notifications that wait after several attempts, by channel. */
  readonly waiting: readonly { readonly channel: string; readonly n: number }[];
}

/** How failures begin for which no provider was asked. */
const UNASKED =
  /^(no_address|suppressed: |opted_out$|not_opted_in$|expired$|ended$|the template |the user no longer exists$)/;

/** Reads what came of the latest notifications. */
export async function providerResults(tx: Tx, workspaceId: string): Promise<Results> {
  const rows = await pipeline(
    ['dispatched', 'delivered', 'failed'].map((status) =>
      tx.sql.all<{ channel: string; history: string; failure: string | null }>(
        `SELECT channel, history, failure FROM notification WHERE workspace_id = ? AND status = ?
         ORDER BY created_at DESC LIMIT ${LOOKED_AT}`,
        [workspaceId, status],
      ),
    ),
  );
  const waiting = await tx.sql.all<{ channel: string; n: number }>(
    `SELECT channel, COUNT(*) AS n FROM (SELECT channel, tries FROM notification
       WHERE workspace_id = ? AND status = 'queued' ORDER BY created_at DESC LIMIT ${LOOKED_AT}) AS q
     WHERE tries >= ${ATTEMPTS} GROUP BY channel`,
    [workspaceId],
  );
  const read = (some: (typeof rows)[number]) =>
    some.map(({ history, ...row }) => ({ ...row, history: JSON.parse(history) }));
  const [dispatched, delivered, failed] = rows.map(read);
  return {
    taken: [...dispatched!, ...delivered!],
    failed: failed!.filter(({ failure }) => failure !== null && !UNASKED.test(failure)),
    waiting,
  };
}

/** The channels with a provider: when it last took a notification and failed one, and how many wait for it after several attempts. */
export const providersOf = (channels: readonly string[], { taken, failed, waiting }: Results): object[] =>
  channels.map((channel) => ({
    channel,
    lastSuccessAt:
      taken
        .filter((each) => each.channel === channel)
        .flatMap(({ history }) => history.find(isTaken)?.at ?? [])
        .sort()
        .at(-1) ?? null,
    lastFailureAt:
      failed
        .filter((each) => each.channel === channel)
        .flatMap(({ history }) => history.findLast(({ status }) => status === 'failed')?.at ?? [])
        .sort()
        .at(-1) ?? null,
    waiting: Number(waiting.find((each) => each.channel === channel)?.n ?? 0),
  }));

const isTaken = ({ status, reason }: HistoryEntry): boolean =>
  (status === 'dispatched' || status === 'delivered') &&
  reason !== OUTBOX_TEST &&
  reason !== OUTBOX_NO_PROVIDER;
