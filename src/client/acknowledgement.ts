import type { Answer } from './answers.ts';
import { readRateAnswer } from './pacer/answer.ts';
import { webPage } from './web-page.ts';

/** A 2xx that does not say that the service has stored what was sent. */
export class NotAcknowledged extends Error {
  /** It contradicts that, or is a web page: no setting accepts it. */
  readonly contradicts: boolean;

  constructor(message: string, contradicts: boolean) {
    super(message);
    this.name = 'NotAcknowledged';
    this.contradicts = contradicts;
  }
}

/** What was sent, and to which address. */
export interface SentRecords {
  readonly kind: 'events' | 'users';
  readonly count: number;
  readonly baseUrl: string;
  /** The service acknowledges in another way (`--accept-any-answer`). */
  readonly acceptAny: boolean;
}

/**
 * Verifies that a 2xx acknowledges the records that were sent. It does if it has the rate-limit headers, which every
 * successful response carries (specification, "Limits"), or if its JSON has `accepted` with their number, or for users an
 * entry for each. A web page, any other `accepted`, an error and rejected records never do. Throws NotAcknowledged.
 */
export function requireAcknowledgement(
  answer: Answer,
  { kind, count, baseUrl, acceptAny }: SentRecords,
): void {
  const { status, headers, body, text } = answer;
  const said = `${new URL(baseUrl).origin} answered ${status}`;
  const page = webPage(text) ?? (isHtml(answer) ? 'the response is HTML' : undefined);
  if (page !== undefined) throw new NotAcknowledged(`${said}, but ${page}: no ${kind} were accepted`, true);
  const fields = (isObject(body) ? body : {}) as Readonly<Record<string, unknown>>;
  const contradicting = contradiction(fields, count);
  if (contradicting !== undefined)
    throw new NotAcknowledged(`${said} with ${contradicting} for ${count} ${kind}`, true);
  const { accepted, users } = fields;
  const listed = kind === 'users' && Array.isArray(users) && users.length === count;
  const { limit, remaining, resetIn } = readRateAnswer(status, headers, 0);
  const known = limit !== undefined && remaining !== undefined && resetIn !== undefined;
  if (accepted === count || listed || known || acceptAny) return;
  const what =
    text === '' ? 'an empty body' : `${Buffer.byteLength(text)} bytes that do not count the ${kind}`;
  throw new NotAcknowledged(`${said} with ${what} and without the rate-limit headers of the service`, false);
}

/** No answer of the service is HTML, whatever its body holds. */
function isHtml({ headers }: Answer): boolean {
  return /^\s*(text\/html|application\/xhtml)\b/i.test(headers['content-type'] ?? '');
}

/** Returns the field of a body that says that not all of `count` records were accepted. */
function contradiction(fields: Readonly<Record<string, unknown>>, count: number): string | undefined {
  const { accepted, error, code } = fields;
  if (accepted !== undefined && accepted !== count) return shown('accepted', accepted);
  if ((error ?? undefined) !== undefined && (code ?? undefined) !== undefined) return shown('code', code);
  const refused = ['rejected', 'errors'].find((name) => isSome(fields[name]));
  return refused === undefined ? undefined : shown(refused, fields[refused]);
}

/** Returns whether a value is a positive number or is not empty. */
function isSome(value: unknown): boolean {
  return Number(value) > 0 || (isObject(value) && Object.keys(value).length > 0);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A field as JSON text, which has no line breaks, cut to a short length. */
function shown(name: string, value: unknown): string {
  return `"${name}": ${JSON.stringify(value).slice(0, 100)}`;
}
