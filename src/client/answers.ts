import { HEADERS } from '../contract/headers.ts';
import { ApiError } from './errors.ts';
import type { Incoming } from './exchange.ts';
import { webPage } from './web-page.ts';

/** A response with a 2xx status. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body, unknown fields included; undefined if it is empty or not JSON. */
  readonly body: T;
  readonly text: string;
}

/** Returns a response with a 2xx status. Throws ApiError for any other. */
export function checked(answer: Incoming): Answer {
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer);
  // Any 2xx is a success, whatever its body (docs/design-choices.md, "The client is liberal").
  const { status, headers } = answer;
  return { status, headers, ...read(answer) };
}

/** Converts a response with a status other than 2xx to an ApiError. */
export function errorOf(answer: Incoming): ApiError {
  const { text, body } = read(answer);
  return new ApiError(answer.status, answer.headers, body, answer.headers[HEADERS.requestId], webPage(text));
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function read(answer: Incoming): { text: string; body: unknown } {
  const text = utf8.decode(answer.body);
  try {
    return { text, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    return { text, body: undefined };
  }
}
