import type { Endpoint } from '../../contract/endpoints.ts';
import { SERVICE_ERRORS } from '../../contract/errors.ts';
import { validate } from '../../contract/validation.ts';
import { maskUrl } from '../../kit/mask-url.ts';
import { MASKED, maskPersonal } from '../../kit/personal-data.ts';
import type { Called } from './operations.ts';
import { Refusal } from './refusal.ts';

/** Maps and lists whose names and values others chose. */
const FOREIGN: ReadonlySet<string> = new Set(['context', 'explanation', 'properties', 'traits']);
/** Texts of other programs, which may quote an address, and what a delivery sent. */
const FOREIGN_TEXTS: ReadonlySet<string> = new Set(['failure', 'error', 'disabledReason', 'body', 'reason']);
/** Names that systems of the customer give: some give an e-mail address. */
const FOREIGN_NAMES: ReadonlySet<string> = new Set(['event', 'userId', 'counted', 'surface']);
/** Never shown, whatever a service answers. */
const SECRET: ReadonlySet<string> = new Set(['variables', 'signingSecret', 'secret', 'signature', 'apiKey']);

/**
 * Returns what the page gets of an answer, or of the data of a message of a stream: the fields that the contract
 * describes, without secrets, and without what looks personal in texts of others. Throws Refusal (502) for an answer
 * that the contract does not describe.
 */
export function shownAnswer({ name, endpoint }: Pick<Called, 'name' | 'endpoint'>, text: string): unknown {
  if (endpoint.answer === undefined) return undefined;
  const checked = validate(endpoint.answer, parsed(text));
  if (!checked.ok)
    throw new Refusal(
      502,
      'unexpected_answer',
      'The service answered what this version of svc does not know.',
      {
        details: checked.details.slice(0, 5).map(({ field, message }) => ({ field, message })),
      },
    );
  // The texts of a message are of the catalog, which is about nobody.
  return shown(checked.value, name === 'peekMessages' ? new Set() : FOREIGN_TEXTS);
}

/**
 * Returns the error to answer with, for one of the service. `unauthorized` is not passed on as it is: the page would take
 * it for the end of its session.
 */
export function shownError(status: number, text: string, { missing }: Endpoint): Refusal {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const word = (name: string, limit: number) =>
    typeof fields[name] === 'string' ? (fields[name] as string).slice(0, limit) : undefined;
  const error = word('error', 64);
  const message = word('message', 500) ?? `The service answered ${status}.`;
  // An operation that this service does not have answers like an address that it does not have.
  const noSuchRoute = error === undefined || message === SERVICE_ERRORS.not_found.message || !missing;
  if (status === 405 || status === 501 || (status === 404 && noSuchRoute))
    return new Refusal(501, 'not_offered', 'This service does not offer the operation.', {
      notOffered: true,
    });
  if (status === 401 || status === 403)
    return new Refusal(502, 'key_refused', 'The service refused the API key of the console.');
  const shownText = String(maskPersonal('text', message));
  if (status >= 400 && status < 600)
    return new Refusal(status, error ?? 'failed', shownText, { details: detailsOf(fields.details) });
  return new Refusal(502, 'unexpected_answer', `The service answered ${status}.`);
}

function detailsOf(details: unknown): { field: string; message: string }[] {
  if (!Array.isArray(details)) return [];
  return details.slice(0, 100).flatMap((detail: unknown) => {
    const { field, message } = (detail ?? {}) as Record<string, unknown>;
    if (typeof field !== 'string' || typeof message !== 'string') return [];
    return [{ field: field.slice(0, 300), message: String(maskPersonal('text', message.slice(0, 500))) }];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(502, 'unexpected_answer', 'The service answered something that is not JSON.');
  }
}

const MAX_DEPTH = 64;

function shown(value: unknown, foreignTexts: ReadonlySet<string>, name = '', depth = 0): unknown {
  if (SECRET.has(name)) return MASKED;
  // What a person writes in the page must come back as it was written; a catalog is about nobody.
  if (name === 'catalog') return value;
  if (FOREIGN.has(name)) return maskPersonal(name, value);
  if (depth > MAX_DEPTH) return MASKED;
  if (typeof value === 'string') {
    if (name === 'url') return withoutQueryValues(value);
    if (FOREIGN_NAMES.has(name)) return maskPersonal('id', value);
    return foreignTexts.has(name) ? maskPersonal('text', value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => shown(item, foreignTexts, name, depth + 1));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      entriesOf(value).map(([key, inner]) => [key, shown(inner, foreignTexts, key, depth + 1)]),
    );
  return value;
}

/** The fields of an object, without the userId where the hashId stands beside it. */
const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([key]) => key !== 'userId' || !('hashId' in value));

/** Masks the password and the values of the query: receivers put tokens there. */
function withoutQueryValues(url: string): string {
  return maskUrl(url).replace(/([?&][^=&#]*=)[^&#]*/g, `$1${MASKED}`);
}
