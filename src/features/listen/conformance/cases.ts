/** The deliveries of a conformance run: what is sent, and what a right handler answers (specification: Webhook deliveries). */
import { HEADERS } from '../../../contract/headers.ts';
import { makeBody } from '../signed-delivery.ts';

/** A delivery of one case. Headers are made for `body`; what differs from them is said here. */
export interface TestDelivery {
  readonly body: Buffer;
  readonly deliveryId: string;
  /** Other bytes to sign in place of `body`. */
  readonly signed?: Buffer;
  /** Another secret to sign with. */
  readonly secret?: string;
  /** Headers to replace, or to leave out where undefined. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly slow?: boolean;
}

export interface Case {
  readonly name: string;
  /** `taken`: any 2xx. `refused`: 401, as the specification has it. */
  readonly expects: 'taken' | 'refused';
  readonly tries: string;
  readonly deliveries: (make: DeliveryFactory) => readonly TestDelivery[];
}

/** Makes bodies for one run; each has an identity of its own. */
export interface DeliveryFactory {
  delivery(fields?: Record<string, unknown>, kind?: string): { body: Buffer; deliveryId: string };
  readonly now: number;
  readonly otherSecret: string;
}

const LARGE_BYTES = 64 * 1024;
const HOUR_MS = 3_600_000;

export const CASES: readonly Case[] = [
  {
    name: 'valid',
    expects: 'taken',
    tries: 'as the service sends it',
    deliveries: (make) => [make.delivery()],
  },
  {
    name: 'other spelling',
    expects: 'taken',
    tries: 'valid, but with other spaces',
    deliveries: (make) => {
      const { body, deliveryId } = make.delivery({ note: 'café', amount: 10 });
      return [{ body: reformatted(body), deliveryId }];
    },
  },
  {
    name: 'tampered',
    expects: 'refused',
    tries: 'changed after it was signed',
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
    tries: 'a signature too short',
    deliveries: (make) => [
      {
        ...make.delivery(),
        headers: { [HEADERS.signature]: 'abc', [HEADERS.webhookSignature]: undefined },
      },
    ],
  },
  {
    name: 'repeated delivery',
    expects: 'taken',
    tries: 'the same twice, as a retry',
    deliveries: (make) => {
      const delivery = make.delivery();
      return [delivery, delivery];
    },
  },
  {
    name: 'out of order',
    expects: 'taken',
    tries: 'an older one after a newer',
    deliveries: (make) => [
      make.delivery(),
      make.delivery({ occurredAt: new Date(make.now - HOUR_MS).toISOString() }),
    ],
  },
  {
    name: 'unknown kind',
    expects: 'taken',
    tries: 'a kind not invented yet',
    deliveries: (make) => [make.delivery({}, 'campaign.imagined')],
  },
  {
    name: 'large',
    expects: 'taken',
    tries: 'a body of 64 KiB',
    deliveries: (make) => [make.delivery({ note: 'x'.repeat(LARGE_BYTES) })],
  },
  {
    name: 'slow',
    expects: 'taken',
    tries: 'in pieces, over two seconds',
    deliveries: (make) => [{ ...make.delivery({ note: 'ünïcödé '.repeat(20) }), slow: true }],
  },
];

/** @param nextId gives each delivery its identity */
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

/** The same JSON as no library would write it back. */
export function reformatted(body: Buffer): Buffer {
  const text = body
    .toString('utf8')
    .replace(/":/g, '" : ')
    .replace(/,"/g, ',\n "')
    .replaceAll('é', '\\u00e9')
    .replace(': 10', ': 1.0e1');
  return Buffer.from(`${text}\n`);
}
