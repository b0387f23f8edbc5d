import { SvcError } from '../../cli/errors/svc-error.ts';
import { asUsageError } from '../../cli/errors/usage-error.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import type { Answer, NoAnswer } from '../listen/deliverer.ts';
import { parseTarget, RouteError } from '../listen/routes.ts';
import type { SecretFlags } from './known-secrets.ts';

/** Parses the URL of a handler. Throws usage. */
export function parseHandlerUrl(text: string): URL {
  return asUsageError(RouteError, 'use a URL such as http://localhost:3000/webhooks', () =>
    parseTarget(text),
  );
}

/** Returns the command that tests a handler with the secret of this command. */
export function testCommand(
  url: URL,
  { 'secret-file': file, subscription }: Pick<SecretFlags, 'secret-file' | 'subscription'>,
  invocation: Invocation,
): string {
  // A secret from standard input cannot be repeated; the command prompts for it.
  const secret =
    file !== undefined && file !== '-'
      ? ['--secret-file', file]
      : subscription === undefined
        ? []
        : ['--subscription', subscription];
  return invocation.onSameService('webhooks', 'test', url.href, ...secret);
}

/** Returns the error for the answer of a handler; undefined for a 2xx. `flags` select its secret. */
export function handlerFailure(
  result: Answer | NoAnswer,
  url: URL,
  flags: SecretFlags,
): SvcError | undefined {
  const test = (invocation: Invocation) => testCommand(url, flags, invocation);
  if (result.status === null) {
    return result.code === 'TIMEOUT'
      ? new SvcError('timeout', `${url.href} sent ${result.error}`, {
          hint: 'answer first, then process the delivery',
        })
      : unreachable(url, result.error);
  }
  if (result.status >= 200 && result.status < 300) return undefined;
  return result.status >= 500
    ? new SvcError('unavailable', `the handler failed with ${result.status}`, {
        hint: (invocation) => `see the log of the handler, or test it: ${test(invocation)}`,
      })
    : new SvcError('refused', `the handler answered ${result.status}`, {
        hint: (invocation) => `find the mistake: ${test(invocation)}`,
      });
}

/** Returns the error for a handler that cannot be reached. */
export function unreachable(url: URL, reason: string): SvcError {
  return new SvcError('unreachable', `${url.href} does not answer: ${reason}`, {
    hint: (invocation) => `start the handler or correct the URL, then: ${invocation.rerunWith()}`,
  });
}
