import { definedFields } from '../../kit/defined-fields.ts';
import { userSignals } from '../events/store/user-signals.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { listed, listedNumbers } from '../platform/store/listed.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { Tx } from '../platform/store/store.ts';
import { scopeText } from '../users/consent.ts';
import { addresses } from '../users/store/addresses.ts';
import { consents } from '../users/store/consents.ts';
import { contacts } from '../users/store/contacts.ts';

/** When a user was last seen, Unix ms, and by what. */
export interface Seen {
  readonly hashId: string;
  readonly at: number;
  readonly last: 'event' | 'decision' | 'outcome' | 'profile';
  /** Of an event, its number. */
  readonly number?: number;
  /** Of a decision, what it chose. */
  readonly contentId?: string | null;
  /** Of an outcome, its type and its decision. */
  readonly outcome?: { readonly type: string; readonly id: string };
}

/** A user of the latest events: when the last of them came, Unix ms, and how many they are. */
export interface Tracked {
  readonly userId: string;
  readonly at: number;
  readonly n: number;
  /** The number of the last of them. */
  readonly number: number;
}

/** Which event, content or outcome it was that users were last seen by, by hashId. */
async function lastOf(
  tx: Tx,
  workspaceId: string,
  seen: readonly Seen[],
): Promise<
  (user: Seen) => { readonly event?: string; readonly contentId?: string; readonly outcome?: string }
> {
  const { dialect } = tx.sql;
  const events = listedNumbers(
    dialect,
    'number',
    seen.flatMap(({ last, number }) => (last === 'event' ? [number!] : [])),
  );
  const answered = listed(
    dialect,
    'decision_id',
    seen.flatMap(({ outcome }) => outcome?.id ?? []),
  );
  const [names, byId] = await pipeline([
    tx.sql.all<{ of: number; name: string }>(
      `SELECT number AS "of", event AS name FROM event WHERE workspace_id = ? AND ${events.text}`,
      [workspaceId, events.param],
    ),
    tx.sql.all<{ of: string; name: string | null }>(
      `SELECT decision_id AS "of", content_id AS name FROM decision WHERE workspace_id = ? AND ${answered.text}`,
      [workspaceId, answered.param],
    ),
  ]);
  const mapOf = (rows: readonly { of: number | string; name: string | null }[]) =>
    new Map(rows.map((row) => [String(row.of), row.name ?? undefined]));
  const [event, shown] = [mapOf(names), mapOf(byId)];
  return ({ last, number, contentId, outcome }) =>
    definedFields({
      event: last === 'event' ? event.get(String(number)) : undefined,
      contentId: outcome ? shown.get(outcome.id) : (contentId ?? undefined),
      outcome: outcome?.type,
    });
}

/** Adds what is known of users: `tracked` has those of the latest events, by hashId. */
export async function described(
  tx: Tx,
  cipher: Cipher,
  workspaceId: string,
  seen: readonly Seen[],
  tracked: ReadonlyMap<string, Tracked>,
): Promise<object[]> {
  const hashIds = seen.map(({ hashId }) => hashId);
  const byHash = listed(tx.sql.dialect, 'hash_id', hashIds);
  const profiles = await tx.sql.all<{ hashId: string; userId: string; locale: string | null }>(
    `SELECT hash_id AS "hashId", user_id AS "userId", locale FROM app_user WHERE workspace_id = ? AND ${byHash.text}`,
    [workspaceId, byHash.param],
  );
  const profileOf = new Map(profiles.map((profile) => [profile.hashId, profile]));
  const userIdOf = (hashId: string) => profileOf.get(hashId)?.userId ?? tracked.get(hashId)?.userId;
  const userIds = seen.flatMap(({ hashId }) => userIdOf(hashId) ?? []);
  const [decisions, events] = await pipeline([
    contacts.decisionsOf(tx, workspaceId, hashIds),
    userSignals.totalsOf(tx, workspaceId, userIds),
  ]);
  const channels = await addresses.channelsOf(tx, cipher, workspaceId, hashIds);
  const refusals = await consents.refusalsOf(tx, workspaceId, hashIds);
  const what = await lastOf(tx, workspaceId, seen);
  return seen.map((user) => {
    const { hashId, at, last } = user;
    return {
      hashId,
      locale: profileOf.get(hashId)?.locale ?? null,
      lastAt: new Date(at).toISOString(),
      last,
      ...what(user),
      // The counts follow a moment later, and leave out old times.
      events: Math.max(events.get(userIdOf(hashId) ?? '') ?? 0, tracked.get(hashId)?.n ?? 0),
      decisions: decisions.get(hashId) ?? 0,
      ...(profileOf.has(hashId) ? { channels: channels.get(hashId) ?? [] } : {}),
      optOut: (refusals.get(hashId) ?? []).map(scopeText),
    };
  });
}
