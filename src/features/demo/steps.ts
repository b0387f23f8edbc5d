/** The five steps of the demo, one for each move of the specification ("What the service does"), over HTTP. */
import type { Client } from '../../client/client.ts';
import { follow } from '../../client/follow.ts';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { TAP_KINDS } from '../../contract/event-kinds.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import type { Report, Verified } from '../listen/receiver.ts';

export interface Stage {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

const USERS = [
  { userId: 'user-1001', name: 'Ada', phone: '+447700900101', timeZone: 'Europe/London', locale: 'en-GB' },
  { userId: 'user-1002', name: 'Bruno', phone: '+447700900102', timeZone: 'Europe/Lisbon', locale: 'pt-PT' },
  { userId: 'user-1003', name: 'Chioma', phone: '+447700900103', timeZone: 'Africa/Lagos', locale: 'en-NG' },
] as const;
const NAMES = ['app_opened', 'card_viewed', 'savings_plan_opened', 'payment_made'];
const EVENTS_A_USER = 8;

export interface Tracked {
  readonly users: number;
  readonly events: number;
  /** The hashed identifier of the first user. */
  readonly hashId: string;
  /** Time from the request until the first event was in the live stream. */
  readonly streamMs: number;
}

/** Track: sends users and their events, and watches the live event stream. */
export async function track(stage: Stage): Promise<Tracked> {
  const { client, clock, random, signal } = stage;
  const { body } = await client.call('ingestUsers', { body: { users: [...USERS] }, signal });
  const hashId = body.users[0]!.hashId;
  const now = clock.now();
  const events = USERS.flatMap(({ userId }, u) =>
    Array.from({ length: EVENTS_A_USER }, (_, i) => ({
      userId,
      event: NAMES[(i + u) % NAMES.length]!,
      timestamp: new Date(now - (EVENTS_A_USER - i) * 60_000).toISOString(),
      properties: { screen: i % 2 === 0 ? 'home' : 'account', amount: 5 * (i + 1) },
    })),
  );
  const done = new AbortController();
  const { promise: open, resolve: opened } = deferred<void>();
  const stream = follow({
    client,
    clock,
    random,
    maxRetries: 0,
    signal: AbortSignal.any([signal, done.signal]),
    onState: () => opened(),
  });
  const first = stream.next();
  await Promise.race([open, first]);
  const sent = performance.now();
  await client.call('ingestEvents', { body: { events }, signal });
  await first;
  const streamMs = Math.round(performance.now() - sent);
  done.abort();
  await stream.return(undefined);
  return { users: USERS.length, events: events.length, hashId, streamMs };
}

export interface Decided {
  readonly answer: AnswerOf<'decide'>;
  readonly durationMs: number;
}

export const DECIDE_WITH = {
  context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
  guardrails: { excludeCategories: ['security'], maxDailyContacts: 3 },
};

/** Decide: requests the next best action, with guardrails. */
export async function decide({ client, signal }: Stage, hashId: string): Promise<Decided> {
  const started = performance.now();
  const { body } = await client.call('decide', { body: { hashId, ...DECIDE_WITH }, signal });
  return { answer: body, durationMs: Math.round(performance.now() - started) };
}

export type Rendered = AnswerOf<'listMessages'>['messages'][number];

/** Render: gets the message as the app does when the user opens it. */
export async function render({ client, signal }: Stage, hashId: string): Promise<Rendered | undefined> {
  const { body } = await client.call('listMessages', { query: { hashId }, signal });
  return body.messages[0];
}

export type Notified = AnswerOf<'getNotification'> & { readonly durationMs: number };

const POLL_MS = 50;
const TIMEOUT_MS = 8000;

/** Notify: triggers a template for a hashed user and polls until the notification is delivered or failed. */
export async function notify({ client, clock, signal }: Stage, hashId: string): Promise<Notified> {
  const started = performance.now();
  const trigger = {
    hashId,
    templateId: 'order_update',
    channel: 'whatsapp',
    variables: { orderId: '4711' },
    priority: 'transactional',
  } as const;
  const { body: accepted } = await client.call('trigger', { body: trigger, signal });
  const params = { id: accepted.notificationId };
  for (let pause = POLL_MS; ; pause *= 2) {
    const { body } = await client.call('getNotification', { params, signal });
    const durationMs = Math.round(performance.now() - started);
    if (body.status === 'delivered' || body.status === 'failed' || durationMs > TIMEOUT_MS) {
      return { ...body, durationMs };
    }
    await clock.sleep(pause, signal);
  }
}

export interface CalledBack {
  readonly deliveries: readonly Verified[];
  /** Time from the last tap until its delivery was verified. */
  readonly afterMs: number;
}

/** Collects the deliveries that the receiver verified. */
export interface Inbox {
  readonly onReport: (report: Report) => void;
  /** Resolves when `count` deliveries are verified; rejects after `withinMs`. */
  verified(count: number, withinMs: number): Promise<readonly Verified[]>;
}

/** Call back: reports what the user did with message and notification, and waits for the webhook deliveries. */
export async function callBack(
  { client, signal }: Stage,
  inbox: Inbox,
  decisionId: string,
  notificationId: string,
): Promise<CalledBack> {
  for (const type of ['opened', 'actioned'] as const) {
    await client.call('messageOutcome', { params: { decisionId }, body: { type }, signal });
  }
  const tapped = performance.now();
  await client.call('notificationOutcome', {
    params: { id: notificationId },
    body: { type: 'clicked' },
    signal,
  });
  const deliveries = await inbox.verified(TAP_KINDS.length, TIMEOUT_MS);
  return { deliveries, afterMs: Math.round(performance.now() - tapped) };
}

/** Creates an inbox whose `onReport` is passed to a receiver. */
export function inbox(): Inbox {
  const verified: Verified[] = [];
  const { promise: changed, resolve } = deferred<void>();
  let wanted = Number.POSITIVE_INFINITY;
  return {
    onReport: (report) => {
      if (report.type === 'event') verified.push(report);
      if (verified.length >= wanted) resolve();
    },
    async verified(count, withinMs) {
      wanted = count;
      if (verified.length >= count) return verified;
      const late = new Promise<never>((_, reject) => {
        setTimeout(
          () =>
            reject(
              new Error(`${verified.length} of ${count} deliveries arrived within ${withinMs / 1000} s`),
            ),
          withinMs,
        ).unref();
      });
      await Promise.race([changed, late]);
      return verified;
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
