/**
 * What `--debug` shows of requests and answers: names always, values only where the name is known to hold nothing
 * personal and no secret. A list of what to hide would miss the next field, a number in place of a text, a trait.
 */
import { HEADERS } from '../../contract/headers.ts';
import { maskUrl } from '../../kit/mask-url.ts';

const MASK = '****';
const MOST_CHARACTERS = 2000;
/** Shorter values stand in other texts by chance. */
const SHORTEST_ECHO = 3;
/** Most values that are looked for in an answer. */
const MOST_ECHOES = 2000;

const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  HEADERS.workspace,
  HEADERS.requestId,
  HEADERS.region,
  HEADERS.limit,
  HEADERS.remaining,
  HEADERS.reset,
  HEADERS.retryAfter,
  HEADERS.idempotencyKey,
  HEADERS.idempotentReplayed,
  ...['accept', 'allow', 'cache-control', 'connection', 'content-encoding', 'content-length', 'content-type'],
  ...['date', 'deprecation', 'keep-alive', 'last-event-id', 'location', 'server', 'sunset'],
  ...['transfer-encoding', 'user-agent', 'vary', 'via'],
]);

/** Fields and query parameters of the contract that hold identifiers, times, states and settings. */
const SHOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'userId', 'hashId', 'requestId', 'decisionId', 'contentId', 'notificationId', 'templateId'],
  ...['deliveryId', 'event', 'events', 'type', 'status', 'channel', 'surface', 'format', 'priority', 'url'],
  ...[
    'timestamp',
    'at',
    'createdAt',
    'updatedAt',
    'occurredAt',
    'nextAttemptAt',
    'leaseUntil',
    'leaseSeconds',
  ],
  ...['accepted', 'ranking', 'reason', 'propensity', 'reward', 'modelVersion', 'seed', 'durationMs'],
  ...['excludeCategories', 'maxDailyContacts', 'disabledReason', 'failure'],
  ...['error', 'code', 'message', 'field', 'index', 'limit', 'remaining', 'reset', 'after', 'next'],
]);
/** Maps whose names are the customer's own: what they mean is not known here. */
const OWN_NAMES: ReadonlySet<string> = new Set(['traits', 'variables', 'properties']);

/** What was masked in a request, so that an answer that quotes it shows it no more than the request did. */
export type Echoes = ReadonlySet<string>;

/** A header's value as it may be shown. */
export function redactHeader(name: string, value: string): string {
  if (!SHOWN_HEADERS.has(name.toLowerCase())) return MASK;
  return name === 'location' ? redactPath(maskUrl(value)) : value;
}

/** A path with the values of its query masked, but for those that are known. */
export function redactPath(path: string): string {
  const [, before = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(path) ?? [];
  if (query === undefined) return before;
  const pairs = query.split('&').map((pair) => {
    const [name = '', value] = pair.split(/=(.*)/s);
    return value === undefined || SHOWN_FIELDS.has(name) ? pair : `${name}=${MASK}`;
  });
  return `${before}?${pairs.join('&')}`;
}

/** A body as it may be shown: JSON with values masked, cut; of anything else only the size. Masked values join `masked`. */
export function redactBody(text: string, masked: Set<string>, echoes: Echoes = new Set()): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
  const json = JSON.stringify(redact(value, undefined, masked));
  const shown = withoutEchoes(json.slice(0, 2 * MOST_CHARACTERS), echoes);
  return shown.length > MOST_CHARACTERS
    ? `${shown.slice(0, MOST_CHARACTERS)}… (${json.length} characters)`
    : shown;
}

function redact(value: unknown, name: string | undefined, masked: Set<string>, isOwn = false): unknown {
  if (Array.isArray(value)) return value.map((item) => redact(item, name, masked, isOwn));
  if (typeof value === 'object' && value !== null) {
    // Below a map of the customer's own names nothing is shown, not even under a name that is known.
    const below = isOwn || (name !== undefined && OWN_NAMES.has(name));
    return Object.fromEntries(
      Object.entries(value).map(([own, inner]) => [own, redact(inner, own, masked, below)]),
    );
  }
  if (!isOwn && name !== undefined && SHOWN_FIELDS.has(name))
    return name === 'url' && typeof value === 'string' ? maskUrl(value) : value;
  const text = String(value);
  if (typeof value !== 'boolean' && text.length >= SHORTEST_ECHO && masked.size < MOST_ECHOES)
    masked.add(text);
  return MASK;
}

function withoutEchoes(json: string, echoes: Echoes): string {
  let shown = json;
  for (const echo of [...echoes].toSorted((a, b) => b.length - a.length)) {
    shown = shown.replaceAll(JSON.stringify(echo).slice(1, -1), MASK);
  }
  return shown;
}
