import { commandLine } from '../../kit/shell.ts';
import type { Answer, NoAnswer } from '../../listen/deliver.ts';
import { parseTarget, RouteError } from '../../listen/routes.ts';
import { SvcError } from '../errors.ts';

/** Reads the URL of a handler. Throws usage. */
export function targetOf(text: string): URL {
  try {
    return parseTarget(text);
  } catch (error) {
    if (!(error instanceof RouteError)) throw error;
    throw new SvcError('usage', error.message, { hint: 'give one such as http://localhost:3000/webhooks' });
  }
}

/** A handler's answer as a failure, where it is one. */
export function failureOf(result: Answer | NoAnswer, url: URL): SvcError | undefined {
  const again = commandLine(['svc', 'webhooks', 'test', url.href]);
  if (result.status === null) {
    return result.code === 'TIMEOUT'
      ? new SvcError('timeout', `${url.href} gave ${result.error}`, {
          hint: 'answer first and do the work after that',
        })
      : new SvcError('unreachable', `${url.href} does not answer: ${result.error}`, {
          hint: (typed) => `start the handler or correct the URL, then: ${typed.again()}`,
        });
  }
  if (result.status >= 200 && result.status < 300) return undefined;
  return result.status >= 500
    ? new SvcError('unavailable', `the handler failed with ${result.status}`, {
        hint: `look at its own log; to try it with all kinds of deliveries: ${again}`,
      })
    : new SvcError('refused', `the handler answered ${result.status}`, {
        hint: `find the mistake: ${again}`,
      });
}
