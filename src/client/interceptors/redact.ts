/**
 * Redacts requests and responses for `--debug`. Names are shown; a value is shown only if its name is known to hold
 * neither personal data nor a secret. A list of values to hide would miss new fields and the customer's own traits.
 */
import { ANSWER_HEADERS, HEADERS } from '../../contract/headers.ts';
import { maskUrl } from '../../kit/mask-url.ts';

const MASK = '****';
const MAX_CHARACTERS = 2000;
/** Shorter values occur in other texts by chance. */
const SHORTEST_ECHO = 3;
/** Upper bound on the values that are searched for in a response. */
const MAX_ECHOES = 2000;

const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  ...ANSWER_HEADERS,
  HEADERS.workspace,
  HEADERS.idempotencyKey,
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
/** Maps with names of the customer's choice, whose meaning is unknown. */
const CUSTOM_MAPS: ReadonlySet<string> = new Set(['traits', 'variables', 'properties', 'headers']);

/** Values masked in a request, to mask them also where the response quotes them. */
export type Echoes = ReadonlySet<string>;

/** Redacts the value of a header. */
export function redactHeader(name: string, value: string): string {
  if (!SHOWN_HEADERS.has(name.toLowerCase())) return MASK;
  return name === 'location' ? redactPath(maskUrl(value)) : value;
}

/** Masks the values of query parameters that are not in the list. */
export function redactPath(path: string): string {
  const [, before = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(path) ?? [];
  if (query === undefined) return before;
  const pairs = query.split('&').map((pair) => {
    const [name = '', value] = pair.split(/=(.*)/s);
    return value === undefined || SHOWN_FIELDS.has(name) ? pair : `${name}=${MASK}`;
  });
  return `${before}?${pairs.join('&')}`;
}

/** Masks values in a JSON body and truncates it; of any other body only the size is shown. Adds to `masked`. */
export function redactBody(text: string, masked: Set<string>, echoes: Echoes = new Set()): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
  const json = JSON.stringify(redact(value, undefined, masked));
  const shown = withoutEchoes(json.slice(0, 2 * MAX_CHARACTERS), echoes);
  return shown.length > MAX_CHARACTERS
    ? `${shown.slice(0, MAX_CHARACTERS)}… (${json.length} characters)`
    : shown;
}

function redact(value: unknown, name: string | undefined, masked: Set<string>, isCustom = false): unknown {
  if (Array.isArray(value)) return value.map((item) => redact(item, name, masked, isCustom));
  if (typeof value === 'object' && value !== null) {
    // Nothing below such a map is shown, not even under a known name.
    const below = isCustom || (name !== undefined && CUSTOM_MAPS.has(name));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, redact(inner, key, masked, below)]),
    );
  }
  if (!isCustom && name !== undefined && SHOWN_FIELDS.has(name))
    return name === 'url' && typeof value === 'string' ? maskUrl(value) : value;
  const text = String(value);
  if (typeof value !== 'boolean' && text.length >= SHORTEST_ECHO && masked.size < MAX_ECHOES)
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
