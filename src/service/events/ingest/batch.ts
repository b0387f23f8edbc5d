import { ENDPOINTS, type RequestOf } from '../../../contract/endpoints.ts';
import { type JsonText, parseJson } from '../../http/json-body.ts';
import { checked } from '../../http/request-body.ts';
import { textArray, textArrayOfRanges } from '../../platform/store/text-array.ts';
import type { EventBatch } from '../store/append.ts';
import type { BatchIds } from '../store/ids/known-ids.ts';
import { type EventRanges, scanEvents } from './scan.ts';

type Range = readonly [from: number, to: number];

/** The batch of an ingest body. Throws a ServiceError that describes what is invalid. */
export function readBatch(raw: Buffer): EventBatch {
  const ranges = scanEvents(raw);
  if (ranges) return scannedBatch(raw, ranges);
  const { value, ...json } = parseJson(raw);
  const valid = checked(ENDPOINTS.ingestEvents.request, 'events', value);
  return parsedBatch(json, valid as RequestOf<'ingestEvents'>);
}

/** A batch whose body was scanned: makes a value only of the events that are asked for. */
export function scannedBatch(
  raw: Buffer,
  { userId, event, timestamp, properties, eventId }: EventRanges,
): EventBatch {
  const range = (ranges: readonly number[], i: number): Range => [ranges[2 * i]!, ranges[2 * i + 1]!];
  const length = userId.length / 2;
  const at = (i: number) => ({
    userId: raw.toString('utf8', ...range(userId, i)),
    event: raw.toString('utf8', ...range(event, i)),
    timestamp: raw.toString('latin1', ...range(timestamp, i)),
  });
  return {
    length,
    at,
    get text() {
      return raw.toString('utf8');
    },
    *named(names) {
      const sought = names.map((name) => Buffer.from(name));
      for (let i = 0; i < length; i++) {
        const [from, to] = range(event, i);
        if (sought.some((name) => name.length === to - from && name.compare(raw, from, to) === 0))
          yield [i, at(i)];
      }
    },
    columns: () => [userId, event, timestamp, properties].map((ranges) => textArrayOfRanges(raw, ranges)),
    ids: once(() =>
      idsOf(length, (i) => (eventId[2 * i]! < 0 ? undefined : raw.toString('utf8', ...range(eventId, i)))),
    ),
    idColumn: () => textArrayOfRanges(raw, eventId),
  };
}

/** A batch whose body was parsed and checked with the schema. */
export function parsedBatch(
  { raw, text, inner }: JsonText,
  { events }: RequestOf<'ingestEvents'>,
): EventBatch {
  return {
    length: events.length,
    at: (i) => events[i]!,
    text,
    *named(names) {
      for (const [i, event] of events.entries()) if (names.includes(event.event)) yield [i, event];
    },
    columns: () => [
      textArray(events.map(({ userId }) => userId)),
      textArray(events.map(({ event }) => event)),
      textArray(events.map(({ timestamp }) => timestamp)),
      textArrayOfRanges(raw, inner),
    ],
    ids: once(() => idsOf(events.length, (i) => events[i]!.eventId)),
    idColumn: () => textArray(events.map(({ eventId }) => eventId)),
  };
}

/** The ids of a batch; undefined if none of its events has one. */
function idsOf(length: number, idOf: (index: number) => string | undefined): BatchIds | undefined {
  const ids: string[] = [];
  const indexes: number[] = [];
  for (let i = 0; i < length; i++) {
    const id = idOf(i);
    if (id === undefined) continue;
    ids.push(id);
    indexes.push(i);
  }
  return ids.length === 0 ? undefined : { ids, indexes };
}

/** Computes a value at the first call. */
function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}
