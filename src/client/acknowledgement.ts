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
 * entry for each. A web page and another number never do. Throws NotAcknowledged.
 */
export function requireAcknowledgement(
  answer: Answer,
  { kind, count, baseUrl, acceptAny }: SentRecords,
): void {
  const { status, headers, body, text } = answer;
  const said = `${new URL(baseUrl).origin} answered ${status}`;
  const isHtml = /\bhtml\b/i.test(headers['content-type'] ?? '') && text.trimStart().startsWith('<');
  const page = webPage(text) ?? (isHtml ? 'the response is HTML' : undefined);
  if (page !== undefined) throw new NotAcknowledged(`${said}, but ${page}: no ${kind} were accepted`, true);
  const { accepted, users } = (body ?? {}) as { accepted?: unknown; users?: unknown };
  if (typeof accepted === 'number' && accepted !== count)
    throw new NotAcknowledged(`${said} with "accepted": ${accepted} for ${count} ${kind}`, true);
  const listed = kind === 'users' && Array.isArray(users) && users.length === count;
  const { limit, remaining, resetIn } = readRateAnswer(status, headers, 0);
  const known = limit !== undefined && remaining !== undefined && resetIn !== undefined;
  if (accepted === count || listed || known || acceptAny) return;
  const what =
    text === '' ? 'an empty body' : `${Buffer.byteLength(text)} bytes that do not count the ${kind}`;
  throw new NotAcknowledged(`${said} with ${what} and without the rate-limit headers of the service`, false);
}
