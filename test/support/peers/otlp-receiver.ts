import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Receiver, startReceiver } from './receiver.ts';

/** A span as a receiver of OTLP understands it. */
interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 2: server, 3: client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0: unset, 2: error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver extends Receiver {
  /** All spans so far. Throws for a request that is not exactly what OTLP/HTTP describes. */
  spans(): ReceivedSpan[];
}

/** Receives traces over OTLP/HTTP 1.x, as protobuf or JSON (opentelemetry-proto, trace_service.proto). */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const receiver = await startReceiver((response, got) => {
    const type = got.headers['content-type']!;
    response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
  });
  return {
    ...receiver,
    spans: () =>
      receiver.received.flatMap(({ method, path, headers, body }) => {
        if (method !== 'POST' || path !== '/v1/traces') throw new Error(`${method} ${path}`);
        const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        const type = headers['content-type'];
        if (type === 'application/x-protobuf') return fromMessage(REQUEST, bytes);
        if (type === 'application/json') return fromJson(JSON.parse(bytes.toString()));
        throw new Error(`content-type ${type}`);
      }),
  };
}

const attributes = z
  .array(
    z.strictObject({
      key: z.string(),
      value: z.union([
        z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
        z
          .strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) })
          .transform(({ intValue }) => Number(intValue)),
        z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
      ]),
    }),
  )
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));
const nanoseconds = z.string().regex(/^\d{19}$/);
const JSON_REQUEST = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes, droppedAttributesCount: z.int().optional() }),
      schemaUrl: z.string().optional(),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string().optional() }),
          schemaUrl: z.string().optional(),
          spans: z.array(
            z.strictObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z
                .string()
                .regex(/^[0-9a-f]{16}$/)
                .optional(),
              traceState: z.string().optional(),
              name: z.string(),
              kind: z.int(),
              startTimeUnixNano: nanoseconds,
              endTimeUnixNano: nanoseconds,
              attributes,
              droppedAttributesCount: z.int(),
              events: z.array(z.never()),
              droppedEventsCount: z.int(),
              links: z.array(z.never()),
              droppedLinksCount: z.int(),
              status: z.strictObject({ code: z.int(), message: z.string().optional() }),
              flags: z.int().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

function fromJson(body: unknown): ReceivedSpan[] {
  return JSON_REQUEST.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes, status }) => ({
        ...{ traceId, spanId, parentSpanId, name, kind, attributes },
        status: status.code,
        resource: resource.attributes,
      })),
    ),
  );
}

/** The fields of a message by number: how each is read, by its wire type. */
type Fields = Readonly<Record<number, readonly [name: string, read: 'text' | 'hex' | 'number' | Fields]>>;

const ANY: Fields = { 1: ['value', 'text'], 2: ['value', 'number'], 3: ['value', 'number'] };
const PAIR: Fields = { 1: ['key', 'text'], 2: ['value', ANY] };
const SPAN: Fields = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'text'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'number'],
  7: ['start', 'number'],
  8: ['end', 'number'],
  9: ['attributes', PAIR],
  10: ['droppedAttributes', 'number'],
  12: ['droppedEvents', 'number'],
  14: ['droppedLinks', 'number'],
  15: ['status', { 2: ['message', 'text'], 3: ['code', 'number'] }],
  16: ['flags', 'number'],
};
const SCOPE: Fields = { 1: ['name', 'text'], 2: ['version', 'text'] };
const RESOURCE: Fields = { 1: ['attributes', PAIR], 2: ['dropped', 'number'] };
const SCOPE_SPANS: Fields = { 1: ['scope', SCOPE], 2: ['spans', SPAN], 3: ['schemaUrl', 'text'] };
const RESOURCE_SPANS: Fields = {
  1: ['resource', RESOURCE],
  2: ['scopeSpans', SCOPE_SPANS],
  3: ['schemaUrl', 'text'],
};
const REQUEST: Fields = { 1: ['resourceSpans', RESOURCE_SPANS] };

type Message = Record<string, unknown[]>;
const all = (message: Message | undefined, name: string) => (message?.[name] ?? []) as Message[];
const pairs = (message: Message | undefined) =>
  Object.fromEntries(
    all(message, 'attributes').map(({ key, value }) => [
      (key as string[])[0],
      (value as Message[])[0]!.value![0],
    ]),
  );

function fromMessage(fields: Fields, bytes: Buffer): ReceivedSpan[] {
  return all(decode(fields, bytes), 'resourceSpans').flatMap((resourceSpans) =>
    all(resourceSpans, 'scopeSpans').flatMap((scopeSpans) =>
      all(scopeSpans, 'spans').map((span) => ({
        traceId: String(span.traceId![0]),
        spanId: String(span.spanId![0]),
        parentSpanId: String(span.parentSpanId?.[0] ?? ''),
        name: String(span.name![0]),
        kind: Number(span.kind![0]),
        attributes: pairs(span),
        status: Number(all(span, 'status')[0]?.code?.[0] ?? 0),
        resource: pairs(all(resourceSpans, 'resource')[0]),
      })),
    ),
  );
}

/** Decodes a message of Protocol Buffers. Throws for a field that it does not have. */
function decode(fields: Fields, bytes: Buffer): Message {
  const message: Message = {};
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new Error('a varint does not end');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [name, read] = fields[tag >> 3] ?? [];
    if (name === undefined) throw new Error(`field ${tag >> 3} is unknown`);
    const wire = tag & 7;
    let value: unknown;
    if (wire === 0) value = Number(varint());
    else if (wire === 1) {
      value = Number(bytes.readBigUInt64LE(at));
      at += 8;
    } else if (wire === 5) {
      value = bytes.readUInt32LE(at);
      at += 4;
    } else if (wire === 2) {
      const length = Number(varint());
      if (at + length > bytes.length) throw new Error('a field is longer than its message');
      const part = bytes.subarray(at, at + length);
      at += length;
      if (read === 'number') throw new Error(`${name} is not a number`);
      value = read === 'text' ? part.toString() : read === 'hex' ? part.toString('hex') : decode(read!, part);
    } else throw new Error(`wire type ${wire}`);
    if (wire !== 2 && read !== 'number') throw new Error(`${name} is a number`);
    message[name] ??= [];
    message[name].push(value);
  }
  return message;
}
