/** The cases of a conformance run: what is sent, and the correct answer (specification: Webhook deliveries). */
import { EVENT_KINDS } from '../../../contract/event-kind-names.ts';
import { HEADERS } from '../../../contract/headers.ts';
import { makeBody } from '../signed-delivery.ts';

/** One delivery of a case. Its headers are those of `body`, with the exceptions given here. */
export interface TestDelivery {
  readonly body: Buffer;
  readonly deliveryId: string;
  /** Bytes to sign instead of `body`. */
  readonly signed?: Buffer;
  /** Secret to sign with instead of the right one. */
  readonly secret?: string;
  /** Headers to replace; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly slow?: boolean;
  /** How much later than now it is sent, by its timestamp. */
  readonly laterMs?: number;
}

export interface Case {
  readonly name: string;
  /** `accepted`: any 2xx. `refused`: 401, as the specification requires. */
  readonly expects: 'accepted' | 'refused';
  readonly tries: string;
  readonly deliveries: (make: DeliveryFactory) => readonly TestDelivery[];
}

/** Creates the deliveries of one run, each with its own identifier. */
export interface DeliveryFactory {
  delivery(fields?: Record<string, unknown>, kind?: string): { body: Buffer; deliveryId: string };
  readonly now: number;
  readonly otherSecret: string;
}

const LARGE_BYTES = 64 * 1024;
const HOUR_MS = 3_600_000;
/** A retry has a later timestamp, in seconds, and so is another message: a replay window accepts it. */
const RETRY_MS = 1000;

export const CASES: readonly Case[] = [
  {
    name: 'valid',
    expects: 'accepted',
    tries: 'sent as the service does',
    deliveries: (make) => [make.delivery()],
  },
  {
    name: 'other spelling',
    expects: 'accepted',
    tries: 'valid JSON, formatted differently',
    deliveries: (make) => {
      const { body, deliveryId } = make.delivery({ note: 'café', amount: 10 });
      return [{ body: reformatted(body), deliveryId }];
    },
  },
  {
    name: 'tampered',
    expects: 'refused',
    tries: 'changed after signing',
    deliveries: (make) => {
      const { body, deliveryId } = make.delivery();
      const changed = Buffer.from(body);
      const at = changed.indexOf('content_example');
      changed[at] = 'C'.charCodeAt(0);
      return [{ body: changed, signed: body, deliveryId }];
    },
  },
  {
    name: 'wrong secret',
    expects: 'refused',
    tries: 'signed with another secret',
    deliveries: (make) => [{ ...make.delivery(), secret: make.otherSecret }],
  },
  {
    name: 'missing signature',
    expects: 'refused',
    tries: 'no X-Service-Signature header',
    deliveries: (make) => [
      {
        ...make.delivery(),
        headers: { [HEADERS.signature]: undefined, [HEADERS.webhookSignature]: undefined },
      },
    ],
  },
  {
    name: 'malformed signature',
    expects: 'refused',
    tries: 'a signature that is too short',
    deliveries: (make) => [
      {
        ...make.delivery(),
        headers: { [HEADERS.signature]: 'abc', [HEADERS.webhookSignature]: undefined },
      },
    ],
  },
  {
    name: 'repeated delivery',
    expects: 'accepted',
    tries: 'sent twice, as a retry',
    deliveries: (make) => {
      const delivery = make.delivery();
      return [delivery, { ...delivery, laterMs: RETRY_MS }];
    },
  },
  {
    name: 'out of order',
    expects: 'accepted',
    tries: 'older than the one before',
    deliveries: (make) => [
      make.delivery(),
      make.delivery({ occurredAt: new Date(make.now - HOUR_MS).toISOString() }),
    ],
  },
  {
    name: 'every kind',
    expects: 'accepted',
    tries: 'one of each kind of event',
    deliveries: (make) => EVENT_KINDS.map((kind) => make.delivery({}, kind)),
  },
  {
    name: 'unknown kind',
    expects: 'accepted',
    tries: 'a kind that does not exist yet',
    deliveries: (make) => [make.delivery({}, 'campaign.imagined')],
  },
  {
    name: 'large',
    expects: 'accepted',
    tries: 'a body of 64 KiB',
    deliveries: (make) => [make.delivery({ note: 'x'.repeat(LARGE_BYTES) })],
  },
  {
    name: 'slow',
    expects: 'accepted',
    tries: 'sent in chunks over two seconds',
    deliveries: (make) => [{ ...make.delivery({ note: 'ünïcödé '.repeat(20) }), slow: true }],
  },
];

/**
 * Creates the factory for one run.
 * @param now Unix ms
 * @param nextId returns the identifier of the next delivery
 */
export function deliveryFactory(now: number, nextId: () => string, otherSecret: string): DeliveryFactory {
  return {
    now,
    otherSecret,
    delivery(fields = {}, kind = 'campaign.clicked') {
      const deliveryId = nextId();
      return { body: makeBody({ kind, fields, deliveryId, now }), deliveryId };
    },
  };
}

/** Formats the same JSON in a way that no library produces. */
function reformatted(body: Buffer): Buffer {
  const text = body
    .toString('utf8')
    .replace(/":/g, '" : ')
    .replace(/,"/g, ',\n "')
    .replaceAll('é', '\\u00e9')
    .replace(': 10', ': 1.0e1');
  return Buffer.from(`${text}\n`);
}
