import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';
import { objectOf } from '../../kit/object-of.ts';

const PAUSE_MS = 5000;

/**
 * Asks the service every few seconds whether deliveries of a subscription fail before they reach this listener, and warns of
 * each error once. A service that lists no deliveries is not asked again. Returns how to end it.
 */
export function warnOfFailedAttempts(
  { client, id, clock }: { client: Client; id: string; clock: Clock },
  warn: (text: string) => void,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const known = new Set<string>();
  const ask = async () => {
    while (!signal.aborted) {
      await clock.sleep(PAUSE_MS, signal);
      const answer = await client.call('listDeliveries', { params: { id }, signal }).catch((error) => {
        if (isUnsupported(error)) throw error;
      });
      for (const error of errorsOf(answer?.body)) {
        if (known.has(error)) continue;
        known.add(error);
        // Where the flag helps, services of this version name it themselves.
        const refused = error.endsWith('public addresses only');
        warn(
          `the service could not deliver to this listener: ${error}${refused ? ' (`svc serve --allow-loopback-webhooks` sends here too)' : ''}`,
        );
      }
    }
  };
  const asking = ask().catch(() => {
    // It ended, or the service does not list deliveries.
  });
  return async () => {
    stopped.abort();
    await asking;
  };
}

/** The errors of attempts without an answer. */
function errorsOf(body: unknown): string[] {
  const { deliveries } = objectOf(body);
  return (Array.isArray(deliveries) ? deliveries : []).flatMap((delivery) => {
    const { attempts } = objectOf(delivery);
    return (Array.isArray(attempts) ? attempts : []).flatMap((attempt) => {
      const { status, error } = objectOf(attempt);
      return status === null && typeof error === 'string' ? [error] : [];
    });
  });
}
