import { HEADERS } from '../../contract/headers.ts';
import type { Incoming, Interceptor, Outgoing } from '../exchange.ts';

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  HEADERS.authorization,
  HEADERS.signature,
  HEADERS.webhookSignature,
  'cookie',
  'set-cookie',
]);
const SECRET_FIELDS = /("(?:signingSecret|apiKey|name|phone|accountNumber)"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
const MOST_CHARACTERS = 2000;

/** Writes requests and answers as lines of text, secrets and personal fields masked. */
export function debug(write: (line: string) => void): Interceptor {
  return (next) => async (request) => {
    write(`> ${request.method} ${request.path}`);
    writeParts('>', request, write);
    try {
      const answer = await next(request);
      write(`< ${answer.status}`);
      writeParts('<', answer, write);
      return answer;
    } catch (error) {
      write(`! ${(error as Error).message}`);
      throw error;
    }
  };
}

function writeParts(
  mark: string,
  { headers, body }: Pick<Outgoing | Incoming, 'headers' | 'body'>,
  write: (line: string) => void,
): void {
  for (const [name, value] of Object.entries(headers))
    write(`${mark} ${name}: ${SECRET_HEADERS.has(name) ? '****' : value}`);
  const text = typeof body === 'string' ? body : body ? Buffer.from(body).toString('utf8') : '';
  if (text) write(`${mark} ${maskBody(text)}`);
}

/** A body fit to show: masked, then cut. */
export function maskBody(text: string): string {
  const masked = text.replace(SECRET_FIELDS, '$1"****"');
  return masked.length > MOST_CHARACTERS
    ? `${masked.slice(0, MOST_CHARACTERS)}… (${masked.length} characters)`
    : masked;
}
