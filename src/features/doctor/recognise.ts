import { SvcError } from '../../cli/errors/svc-error.ts';
import { webPage } from '../../client/web-page.ts';
import { HEADERS } from '../../contract/headers.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';

/** What an answer shows of its sender. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the body; undefined where there is none. */
  readonly body: unknown;
  /** The body as it came; empty where it was not kept. */
  readonly text: string;
}

/** How to reach the service instead, for a base URL that leads elsewhere. */
export interface Address {
  /** The base URL and where it is from, ` https://eu.example.com of profile prod`; empty for `local`. */
  readonly words: string;
  /** What to try where the base URL has a path. */
  readonly other: string | undefined;
}

const OWN_HEADERS = [HEADERS.requestId, HEADERS.region, HEADERS.limit, HEADERS.remaining, HEADERS.reset];

/**
 * The part of an answer that identifies the service, in words: a header or an error body of the specification, or
 * subscriptions where they were asked for. Undefined where any web server could have sent it.
 */
export function signOfService({ headers, body, text }: Seen): string | undefined {
  if (webPage(text) !== undefined) return undefined;
  const header = OWN_HEADERS.find((name) => headers[name] !== undefined);
  if (header !== undefined) return `its header ${header}`;
  const fields = (body ?? {}) as Record<string, unknown>;
  const strings = ['error', 'code', 'requestId'].every((name) => typeof fields[name] === 'string');
  if (strings) return 'its error body';
  const list = Array.isArray(body) && body.length > 0 ? body : fields.webhooks;
  return Array.isArray(list) && list.every(isSubscription) ? 'its subscriptions' : undefined;
}

function isSubscription(value: unknown): boolean {
  const { url, events } = (value ?? {}) as Record<string, unknown>;
  return typeof url === 'string' && Array.isArray(events);
}

/**
 * Whether the server is the service. An answer without a sign fails where the server took the request or does not have
 * it; beside a refusal, whose form is not specified and which has a row of its own, it is a warning.
 */
export function checkSign(seen: Seen, address: Address): Check {
  const sign = signOfService(seen);
  if (sign !== undefined) return ok('service', `recognised by ${sign}`);
  const { status, text } = seen;
  if (status >= 500 && status !== 501)
    return skipped('service', `HTTP ${status} alone does not show whether this is the service`);
  const why = webPage(text) ?? 'the server cannot be recognised as the service';
  const words = `${why} (HTTP ${status}, none of its headers)`;
  const next = address.other ?? `correct the address${address.words}`;
  if (status >= 300 && !LACKING.has(status)) return warn('service', words, `before the key, ${next}`);
  return fail(
    'service',
    new SvcError('unavailable', words, {
      hint: (invocation) =>
        `${next}\nto see the answer: ${invocation.on('api', 'GET', '/v1/webhooks', '-i')}`,
    }),
  );
}

/** By these a server says that it does not have the operation. */
const LACKING: ReadonlySet<number> = new Set([404, 405, 501]);
