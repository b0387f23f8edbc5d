import type { Endpoint } from '../../contract/endpoints.ts';
import type { AnswerHeaders } from './answer-headers.ts';
import type { Reply } from './endpoint.ts';
import { isKnown, tagOf } from './etag.ts';
import type { Answer } from './idempotent-write.ts';

/** What a reply of a handler is answered with. */
export function toAnswer(reply: Reply, endpoint: Endpoint): Answer {
  return {
    status: reply.status ?? endpoint.success,
    body: reply.body === undefined ? null : JSON.stringify(reply.body),
  };
}

/** Makes the response of an answer. */
export function respond(answer: Answer, headers: AnswerHeaders): Response {
  if (answer.body !== null) headers.set('content-type', 'application/json');
  return new Response(answer.body, { status: answer.status, headers: headers.fields });
}

/** Answers with the tag of the answer, and without a body where the request says that its sender has it. */
export function respondByTag(
  ifNoneMatch: string | undefined,
  answer: Answer,
  headers: AnswerHeaders,
): Response {
  if (answer.status !== 200 || answer.body === null) return respond(answer, headers);
  const tag = tagOf(answer.body);
  headers.set('etag', tag);
  // A browser may keep it, and has to ask.
  headers.set('cache-control', 'private, no-cache');
  return isKnown(ifNoneMatch, tag)
    ? new Response(null, { status: 304, headers: headers.fields })
    : respond(answer, headers);
}
