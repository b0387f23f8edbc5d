import { ENDPOINTS, type RequestOf } from '../../../contract/endpoints.ts';
import { checked } from '../../http/checked-request.ts';
import { type JsonText, parseJson } from '../../http/json-body.ts';
import { textArray, textArrayOfRanges } from '../../platform/store/text-array.ts';
import type { EventBatch } from '../store/append.ts';
import type { BatchIds } from '../store/ids/id-hashes.ts';
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
    whole: once(() => (JSON.parse(raw.toString('utf8')) as RequestOf<'ingestEvents'>).events),
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
    ids: once(() => scannedIds(raw, eventId)),
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
    whole: () => events,
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
    ids: once(() => parsedIds(events.map(({ eventId }) => eventId))),
    idColumn: () => textArray(events.map(({ eventId }) => eventId)),
  };
}

/** The ids of a scanned body, which has them as they are; undefined if none of its events has one. */
function scannedIds(bytes: Uint8Array, eventId: readonly number[]): BatchIds | undefined {
  const ranges: number[] = [];
  const indexes: number[] = [];
  for (let i = 0; i < eventId.length; i += 2) {
    if (eventId[i]! < 0) continue;
    ranges.push(eventId[i]!, eventId[i + 1]!);
    indexes.push(i / 2);
  }
  return indexes.length === 0 ? undefined : { bytes, ranges, indexes };
}

/** The ids of a parsed body, like `scannedIds`. */
function parsedIds(ids: readonly (string | undefined)[]): BatchIds | undefined {
  const bytes = Buffer.from(ids.join(''));
  const ranges: number[] = [];
  const indexes: number[] = [];
  let end = 0;
  for (const [i, id] of ids.entries()) {
    if (id === undefined) continue;
    const from = end;
    end += Buffer.byteLength(id);
    ranges.push(from, end);
    indexes.push(i);
  }
  return indexes.length === 0 ? undefined : { bytes, ranges, indexes };
}

/** Computes a value at the first call. */
function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}
