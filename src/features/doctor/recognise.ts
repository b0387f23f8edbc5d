import { SvcError } from '../../cli/errors/svc-error.ts';
import { webPage } from '../../client/web-page.ts';
import { HEADERS } from '../../contract/headers.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';

/** The parts of an answer that can identify its sender. */
export interface ObservedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; undefined if it is not JSON. */
  readonly body: unknown;
  /** The raw body; empty if it is not available. */
  readonly text: string;
}

/** How to correct a base URL that does not lead to the service. */
export interface Address {
  /** The base URL and its source, such as ` https://eu.example.com of profile prod`; empty for `local`. */
  readonly suffix: string;
  /** The step to try if the base URL has a path. */
  readonly alternative: string | undefined;
}

const SERVICE_HEADERS = [HEADERS.requestId, HEADERS.region, HEADERS.limit, HEADERS.remaining, HEADERS.reset];

/**
 * The part of an answer that identifies the service, as text: a header or an error body of the specification, or a list
 * of subscriptions. Undefined if any web server could have sent the answer.
 */
export function serviceEvidence({ headers, body, text }: ObservedAnswer): string | undefined {
  if (webPage(text) !== undefined) return undefined;
  const header = SERVICE_HEADERS.find((name) => headers[name] !== undefined);
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
 * Checks that the server is the service. An answer without evidence fails if the server accepted the request or does
 * not have the operation. It is a warning for other refusals: their form is not specified, and the key row reports them.
 */
export function checkIdentity(seen: ObservedAnswer, address: Address): Check {
  const evidence = serviceEvidence(seen);
  if (evidence !== undefined) return ok('service', `recognised by ${evidence}`);
  const { status, text } = seen;
  if (status >= 500 && status !== 501)
    return skipped('service', `HTTP ${status} alone does not show whether this is the service`);
  const reason = webPage(text) ?? 'the server cannot be recognised as the service';
  const message = `${reason} (HTTP ${status}, without the headers of the service)`;
  const next = address.alternative ?? `correct the address${address.suffix}`;
  if (status >= 300 && !UNSUPPORTED.has(status)) return warn('service', message, `first ${next}`);
  return fail(
    'service',
    new SvcError('unavailable', message, {
      hint: (invocation) =>
        `${next}\nto show the answer: ${invocation.onSameService('api', 'GET', '/v1/webhooks', '-i')}`,
    }),
  );
}

/** Status codes of a server that does not have the operation. */
const UNSUPPORTED: ReadonlySet<number> = new Set([404, 405, 501]);
