import type { Incoming, Interceptor, Outgoing } from '../exchange.ts';
import { type Echoes, redactBody, redactHeader, redactPath } from './redact.ts';

/** Writes requests and responses as lines of text; secrets and personal data are masked. */
export function debug(write: (line: string) => void): Interceptor {
  return (next) => async (request) => {
    write(`> ${request.method} ${redactPath(request.path)}`);
    const sent = writeParts('>', request, write);
    try {
      const answer = await next(request);
      write(`< ${answer.status}`);
      writeParts('<', answer, write, sent);
      return answer;
    } catch (error) {
      write(`! ${(error as Error).message}`);
      throw error;
    }
  };
}

/** Writes headers and body. Returns the values that it masked. */
function writeParts(
  mark: string,
  { headers, body }: Pick<Outgoing | Incoming, 'headers' | 'body'>,
  write: (line: string) => void,
  echoes?: Echoes,
): Echoes {
  for (const [name, value] of Object.entries(headers)) write(`${mark} ${name}: ${redactHeader(name, value)}`);
  const text = typeof body === 'string' ? body : body ? Buffer.from(body).toString('utf8') : '';
  const masked = new Set<string>();
  if (text) write(`${mark} ${redactBody(text, masked, echoes)}`);
  return masked;
}
