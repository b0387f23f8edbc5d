import { ServiceError } from '../../../contract/errors.ts';
import { CLIENT_TIMES, MAX_CLIENT_EVENTS } from '../../../contract/limits.ts';
import type { Detail } from '../../../contract/validation.ts';
import { hashId } from '../../platform/crypto/hash-id.ts';
import type { ClientEvents } from '../../platform/store/workspaces.ts';
import type { EventBatch } from '../store/append.ts';

/** What a batch of an app is checked by. */
interface ClientRules {
  /** The key with which the workspace hashes users. */
  readonly key: Uint8Array;
  /** The hashed identifier of the only user; undefined for any. */
  readonly onlyUser: string | undefined;
  /** The events that apps may track; undefined for any. */
  readonly allowed: ClientEvents | undefined;
  /** Unix ms. */
  readonly now: number;
}

/**
 * Checks a valid batch that came with a publishable key: its size, its user, its times and, where the workspace names
 * them, its events and their properties. Throws forbidden for another user, and invalid_request.
 */
export function checkClientBatch(batch: EventBatch, { key, onlyUser, allowed, now }: ClientRules): void {
  if (batch.length > MAX_CLIENT_EVENTS)
    throw invalid([
      { field: 'events', message: `must have at most ${MAX_CLIENT_EVENTS} events from an app` },
    ]);
  const users = new Set(Array.from({ length: batch.length }, (_, i) => batch.at(i).userId));
  if (onlyUser !== undefined && [...users].some((userId) => hashId(key, userId) !== onlyUser))
    throw new ServiceError('forbidden', 'The user token is of another user.');
  const details = [...timeDetails(batch, now), ...(allowed ? nameDetails(batch, allowed) : [])];
  if (details.length > 0) throw invalid(details);
}

const invalid = (details: Detail[]) => new ServiceError('invalid_request', undefined, details);

function* timeDetails(batch: EventBatch, now: number): Generator<Detail> {
  const { past, ahead } = CLIENT_TIMES;
  for (let index = 0; index < batch.length; index++) {
    const at = Date.parse(batch.at(index).timestamp);
    if (at < now - past) yield { index, field: 'timestamp', message: 'is more than 7 days ago' };
    else if (at > now + ahead) yield { index, field: 'timestamp', message: 'is more than 5 minutes ahead' };
  }
}

function* nameDetails(batch: EventBatch, allowed: ClientEvents): Generator<Detail> {
  for (const [index, { event, properties = {} }] of batch.whole().entries()) {
    const names = Object.hasOwn(allowed, event) ? allowed[event] : undefined;
    if (names === undefined)
      yield { index, field: 'event', message: 'is not among those that apps may track' };
    for (const name of names ? Object.keys(properties) : [])
      if (!names!.includes(name))
        yield {
          index,
          field: `properties.${name}`,
          message: 'is not among the properties that apps may send',
        };
  }
}
