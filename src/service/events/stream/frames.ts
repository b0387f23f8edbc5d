import type { WatchFrame } from '../../../contract/schemas/events.ts';
import { type Property, propertiesOf } from '../../../kit/event-filter/match.ts';
import { Lru } from '../../../kit/lru.ts';
import { MASKED, maskPersonal } from '../../../kit/personal-data.ts';
import { hashId as hashOf } from '../../platform/crypto/hash-id.ts';
import type { PagedEvent } from '../store/events.ts';

/** Longer properties, in UTF-16 units, are left out of a frame. */
const MAX_PROPERTIES = 32 * 1024;
const MASKED_JSON = JSON.stringify(MASKED);

/** Whether names of properties look personal themselves, as an e-mail address does; most names are frequent. */
const hiddenNames = new Lru<string, 'hidden' | 'shown'>(1000);

/** True for a property whose name or value looks personal, which is neither shown nor found. */
export function isHidden({ name, text, type }: Property): boolean {
  return hasHiddenName(name) || (type !== 'boolean' && maskPersonal(name, text) === MASKED);
}

function hasHiddenName(name: string): boolean {
  let known = hiddenNames.get(name);
  if (known === undefined) {
    known = maskPersonal('key', name) === MASKED ? 'hidden' : 'shown';
    hiddenNames.set(name, known);
  }
  return known === 'hidden';
}

/** Writes an event as a frame, its user hashed with the key of the workspace too. Numbers are spelled as they were sent. */
export function eventFrame(event: PagedEvent, hashKey: Uint8Array): string {
  const { number, userId, event: name, timestamp, eventId, origin, properties, receivedAt } = event;
  const bytes =
    event.leftOut || (properties !== null && properties.length > MAX_PROPERTIES && properties.length);
  const known = JSON.stringify({
    type: 'event',
    id: String(number),
    receivedAt: new Date(Number(receivedAt)).toISOString(),
    userId: maskPersonal('userId', userId),
    hashId: hashOf(hashKey, userId),
    event: maskPersonal('event', name),
    timestamp,
    ...(eventId === null ? {} : { eventId: maskPersonal('eventId', eventId) }),
    origin,
    ...(bytes ? { leftOut: bytes } : {}),
  });
  const field = bytes || properties === null ? '' : `,"properties":${maskedProperties(properties)}`;
  return `id: ${number}\nevent: event\ndata: ${known.slice(0, -1)}${field}}\n\n`;
}

/** The properties of an event, as JSON, with `***` in place of what looks personal. */
export function maskedProperties(json: string): string {
  const members = propertiesOf(json).map((property) => {
    const name = hasHiddenName(property.name) ? MASKED_JSON : JSON.stringify(property.name);
    return `${name}:${isHidden(property) ? MASKED_JSON : property.json}`;
  });
  return `{${members.join(',')}}`;
}

/** Writes a frame that is not an event; `id` is where a watch resumes after it. */
export function frame(data: Exclude<WatchFrame, { type: 'event' }>, id: number): string {
  return `id: ${id}\nevent: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
