import type { ApiError, TransportError } from '../../client/errors.ts';
import { firstOf } from '../../kit/first-of.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { describeOrigin } from '../invocation/origin.ts';
import { rejectedKeyHint } from './rejected-key.ts';
import { SvcError } from './svc-error.ts';

/** Maps an error answer of the service to its SvcError, by HTTP status. */
export function fromApi(error: ApiError): SvcError {
  const details = error.details.map(
    ({ index, field, message }) => `${index === undefined ? '' : `[${index}] `}${field} ${message}`,
  );
  const shown = firstOf(details, 5, '; ');
  const status = error.message.endsWith(` ${error.status}`) ? '' : ` (HTTP ${error.status})`;
  const message = `${error.message.replace(/\.$/, '')}${shown ? `: ${shown}` : ''}${status}`;
  const words = { requestId: error.requestId, cause: error };
  switch (error.status) {
    case 401:
      return new SvcError('unauthorized', message, { ...words, hint: rejectedKeyHint(error) });
    case 403:
      return new SvcError('forbidden', message, { ...words, hint: rejectedKeyHint(error) });
    case 404:
      return new SvcError('not_found', message, {
        ...words,
        hint: (invocation) =>
          // The service knows the operation, so its address is right.
          error.details.some(({ field }) => field === 'templateId')
            ? `correct the template; the templates of the catalog: ${invocation.onSameService('catalog', 'get')}`
            : `check the identifier and the address${addressSuffix(invocation)}: ${invocation.onSameService('doctor')}`,
      });
    case 405:
    case 501:
      return new SvcError('not_offered', `the service does not offer this operation (HTTP ${error.status})`, {
        ...words,
        hint: localServiceHint,
      });
    case 429:
      return new SvcError('rate_limited', message, {
        ...words,
        hint: (invocation) =>
          `check the limits: ${invocation.onSameService('limits')}\nto retry more often: ${invocation.rerunWith('--max-retries', '20')}`,
      });
  }
  if (error.status >= 500)
    return new SvcError('unavailable', message, { ...words, hint: (invocation) => diagnoseHint(invocation) });
  if (error.status >= 300 && error.status < 400) {
    const to = error.headers.location;
    return new SvcError(
      'refused',
      `the service redirects${to === undefined ? '' : ` to ${to}`} (HTTP ${error.status}), which svc does not follow, so that the key is not sent elsewhere`,
      {
        ...words,
        hint: (invocation) =>
          `correct the base URL${addressSuffix(invocation)}; ${invocation.onSameService('doctor')}`,
      },
    );
  }
  return new SvcError('refused', message, {
    ...words,
    hint: (invocation) =>
      error.details.length > 0
        ? `correct the fields named above; the flags: ${invocation.help()}`
        : `look at what was sent and answered: ${invocation.rerunWith('--debug')}`,
  });
}

/** Maps a request without a usable answer to its SvcError. */
export function fromTransport(error: TransportError): SvcError {
  const words = { cause: error };
  switch (error.reason) {
    case 'unreachable':
      return new SvcError('unreachable', error.message, { ...words, hint: diagnoseHint });
    case 'timeout':
      return new SvcError('timeout', error.message, {
        ...words,
        hint: (invocation) => `${diagnoseHint(invocation)}; --timeout 120 waits longer`,
      });
    case 'aborted':
      return new SvcError('interrupted', 'interrupted', {
        ...words,
        hint: (invocation) => invocation.rerunWith(),
      });
    case 'answer':
      return new SvcError('unavailable', error.message, { ...words, hint: diagnoseHint });
    case 'lost':
      return new SvcError('in_doubt', error.message, {
        ...words,
        hint: (invocation) =>
          `the request may have been processed: check before you retry it; ${diagnoseHint(invocation)}`,
      });
  }
}

/** The hint for an operation that the service does not offer. */
export function localServiceHint(invocation: Invocation): string {
  return `use a service that has it, such as the one on this machine: ${invocation.locally()}`;
}

/** Returns the base URL with its origin, ` https://eu.example.com of profile prod`; empty where it is not known. */
export function addressSuffix({ settings }: Invocation): string {
  return settings === undefined ? '' : ` ${settings.baseUrl} of ${describeOrigin(settings.origins.baseUrl)}`;
}

function diagnoseHint(invocation: Invocation): string {
  const { settings } = invocation;
  const from =
    settings === undefined ? '' : `the address is from ${describeOrigin(settings.origins.baseUrl)}; `;
  return `${from}diagnose it: ${invocation.onSameService('doctor')}`;
}
