import type { Field } from '../../cli/terminal/listing.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { bold, green, red, type Text, yellow } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';
import { redeliveryText } from './redelivery.ts';

/** The known members of a subscription. A service may omit any of them. */
export interface WebhookView {
  readonly id: string | undefined;
  readonly url: string | undefined;
  readonly events: readonly string[];
  readonly status: string | undefined;
  readonly createdAt: string | undefined;
  readonly secretVersion: string | undefined;
  readonly disabledReason: string | undefined;
  readonly filter: string | undefined;
  readonly description: string | undefined;
  readonly maxRate: string | undefined;
  /** Names of the static headers, whose values no service returns. */
  readonly headers: string | undefined;
  /** How far it is with what it missed, in words. */
  readonly catchingUp: string | undefined;
  /** What is sent again, or was at last, in words. */
  readonly redelivery: string | undefined;
  readonly leaseUntil: string | undefined;
  /** How deliveries went, by period. */
  readonly performance: readonly (readonly [string, string | undefined])[];
}

/** Reads the known members of a body of any shape. */
export function webhookOf(body: unknown): WebhookView {
  const fields = objectOf(body);
  const text = (key: string) => (typeof fields[key] === 'string' ? fields[key] : undefined);
  return {
    id: text('id'),
    url: text('url'),
    events: Array.isArray(fields.events) ? fields.events.map(String) : [],
    status: text('status'),
    createdAt: text('createdAt'),
    secretVersion: typeof fields.secretVersion === 'number' ? String(fields.secretVersion) : undefined,
    redelivery: redeliveryText(fields.redelivery),
    catchingUp: catchingUpText(fields.catchingUp),
    filter: text('filter'),
    description: text('description'),
    maxRate: typeof fields.maxRate === 'number' ? `${fields.maxRate}/s` : undefined,
    headers: Array.isArray(fields.headers) ? fields.headers.map(String).join(', ') : undefined,
    disabledReason: text('disabledReason'),
    leaseUntil: text('leaseUntil'),
    performance: performanceRows(body),
  };
}

function catchingUpText(body: unknown): string | undefined {
  const { queued, reached } = objectOf(body);
  if (typeof queued !== 'number' || typeof reached !== 'string') return undefined;
  return `${queued.toLocaleString('en-US')} queued, up to ${sanitizeLine(reached)}`;
}

/** The periods of how deliveries went, and what they are called. */
const PERIODS = { hour: 'last hour', day: 'last day', week: 'last week' } as const;

/** How deliveries went in each period, in words. A service may omit any of them. */
function performanceRows(body: unknown): [string, string | undefined][] {
  const periods = objectOf(objectOf(body).performance);
  return Object.entries(PERIODS).map(([period, name]) => {
    const { attempts, delivered, p50Ms, p95Ms } = objectOf(periods[period]);
    if (typeof attempts !== 'number' || typeof delivered !== 'number') return [name, undefined];
    if (attempts === 0) return [name, 'no attempts'];
    // Rounded down, so that 100 % means all.
    const share = (Math.floor((delivered / attempts) * 1000) / 10).toFixed(1);
    const times =
      typeof p50Ms === 'number' && typeof p95Ms === 'number' ? `; P50 ${p50Ms} ms, P95 ${p95Ms} ms` : '';
    const all = `${attempts.toLocaleString('en-US')} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    return [name, `${share} % of ${all} succeeded${times}`];
  });
}

/** What a subscription missed while it was disabled. */
export interface MissedView {
  readonly from: string;
  readonly outcomes: number;
  readonly erased: number;
  readonly removedBefore: string | undefined;
}

/** Reads what a subscription missed; undefined if the service does not say. */
export function missedOf(body: unknown): MissedView | undefined {
  const { from, outcomes, erased, removedBefore } = objectOf(objectOf(body).missed);
  if (typeof from !== 'string' || typeof outcomes !== 'number') return undefined;
  return {
    from,
    outcomes,
    erased: typeof erased === 'number' ? erased : 0,
    removedBefore: typeof removedBefore === 'string' ? removedBefore : undefined,
  };
}

/** What a subscription missed, in words. */
export function missedText({ from, outcomes, erased, removedBefore }: MissedView): string {
  return [
    `${outcomes.toLocaleString('en-US')} ${outcomes === 1 ? 'outcome' : 'outcomes'} since ${sanitizeLine(from)}`,
    ...(erased > 0 ? [`${erased.toLocaleString('en-US')} of erased users, which are not sent`] : []),
    ...(removedBefore === undefined
      ? []
      : [`those before ${sanitizeLine(removedBefore)} were removed by age`]),
  ].join('; ');
}

/** Returns the list in an answer: `webhooks`, or the answer itself where it is an array. */
export function webhooksOf(body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  const { webhooks } = objectOf(body);
  return Array.isArray(webhooks) ? webhooks : [];
}

export function webhookDetails(webhook: WebhookView, missed?: MissedView): Text {
  const rows: [string, Text | undefined][] = [
    ['id', webhook.id],
    ['url', webhook.url],
    ['events', webhook.events.join(', ')],
    ['filter', webhook.filter],
    ['description', webhook.description],
    ['at most', webhook.maxRate],
    ['headers', webhook.headers],
    ['status', webhook.status && statusText(sanitizeLine(webhook.status))],
    ['reason', webhook.disabledReason],
    ['missed', missed && missedText(missed)],
    ['catching up', webhook.catchingUp],
    ['sent again', webhook.redelivery],
    ['created', webhook.createdAt],
    ['signs with', webhook.secretVersion && `secret ${webhook.secretVersion}`],
    ['lease until', webhook.leaseUntil],
    ...webhook.performance.map(([name, value]): [string, string | undefined] => [name, value]),
  ];
  const known = rows.filter(([, value]) => value !== undefined && value !== '');
  return known.flatMap(([name, value], i) => [
    i === 0 ? '' : '\n',
    bold(name.padEnd(12)),
    typeof value === 'string' ? sanitizeLine(value) : (value as Text),
  ]);
}

/** Prints a subscription, with its secret where it was generated here. */
export function printWithSecret(
  out: Output,
  {
    body,
    webhook,
    secret,
    generated,
  }: { body: unknown; webhook: WebhookView; secret: string; generated: boolean },
): void {
  out.result({ ...objectOf(body), ...(generated ? { signingSecret: secret } : {}) }, () => [
    webhookDetails(webhook),
    ...(generated ? ['\n', bold('secret'.padEnd(12)), secret] : []),
  ]);
  if (generated) out.notice('the secret is shown only once; it is stored in the profile');
}

/** The fields of a list of subscriptions. */
export const WEBHOOK_FIELDS: readonly Field<object>[] = [
  { field: 'id', title: 'ID', whole: true },
  { field: 'status', title: 'STATUS', whole: true, cell: (row) => statusText(webhookOf(row).status ?? '') },
  { field: 'events', title: 'EVENTS', whole: true },
  { field: 'url', title: 'URL', whole: true },
  { field: 'createdAt', title: 'CREATED', whole: true, extra: true },
  { field: 'secretVersion', title: 'SECRET', align: 'right', extra: true },
  { field: 'disabledReason', title: 'REASON', extra: true },
  { field: 'leaseUntil', title: 'LEASE UNTIL', whole: true, extra: true },
];

export function statusText(status: string): Text {
  if (status === 'active' || status === 'delivered') return green(status);
  if (status === 'disabled' || status === 'failed') return red(status);
  return status === 'pending' ? yellow(status) : status;
}
