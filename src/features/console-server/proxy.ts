import { readServerSentEvents } from '../../client/sse.ts';
import { ANSWER_HEADERS, HEADERS } from '../../contract/headers.ts';
import { concatBytes } from '../../kit/concat-bytes.ts';
import { shownAnswer, shownError } from './answer-view.ts';
import type { Backend, Forwarded } from './backend.ts';
import type { Called } from './operations.ts';
import { Refusal } from './refusal.ts';

/** Headers of the page that are passed on to the service. */
const REQUEST_HEADERS = ['content-type', HEADERS.idempotencyKey] as const;

/** Bytes of an answer that are read; more is refused. */
const MAX_ANSWER = 32 * 1024 * 1024;

/** An answer for the page. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text of a JSON body, or a stream of server-sent events. */
  readonly body: string | AsyncIterable<string>;
}

/** Passes a call of the page on to the service, and its answer back. Rejects with Refusal. */
export async function forward(
  backend: Backend,
  called: Called,
  { incoming, outgoing, signal }: Pick<Forwarded, 'incoming' | 'outgoing' | 'signal'>,
): Promise<Answer> {
  const headers = picked(incoming.headers, REQUEST_HEADERS);
  const answer = await backend({ called, headers, incoming, outgoing, signal });
  const passed = picked(answer.headers, ANSWER_HEADERS);
  const succeeded = answer.status >= 200 && answer.status < 300;
  if (succeeded && called.endpoint.stream)
    return {
      status: answer.status,
      headers: { ...passed, 'content-type': 'text/event-stream' },
      body: shownStream(answer.body, called),
    };
  const text = await textOf(answer.body);
  if (!succeeded) {
    const { status, message, error, more } = shownError(answer.status, text, called.endpoint);
    return json(status, new Refusal(status, error, message, more).body(), passed);
  }
  const shown = shownAnswer(called, text);
  return shown === undefined
    ? { status: 204, headers: passed, body: '' }
    : json(answer.status, shown, passed);
}

/** An answer with a JSON body. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Writes the messages of a stream again, each as the page may see it. Ends with a message that the contract does not describe. */
async function* shownStream(body: AsyncIterable<Uint8Array>, called: Called): AsyncGenerator<string> {
  // Comments keep a silent stream open on the way here; towards the page the listener adds its own.
  for await (const { id, event, data } of readServerSentEvents(body)) {
    const head = `${id === '' ? '' : `id: ${id}\n`}event: ${event.replace(/[^\w.-]/g, '_')}\n`;
    yield data === undefined ? `${head}\n` : `${head}data: ${JSON.stringify(shownAnswer(called, data))}\n\n`;
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER)
      throw new Refusal(502, 'unexpected_answer', 'The answer of the service is too large.');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(concatBytes(chunks));
}

function picked(headers: Readonly<Record<string, string | string[] | undefined>>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}
