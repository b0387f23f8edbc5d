import { httpTransport } from '../../client/transport.ts';
import { ENDPOINTS } from '../../contract/endpoints.ts';
import { HEADERS } from '../../contract/headers.ts';
import { within } from '../../kit/time/within.ts';

const ATTEMPTS = 4;
const TIMEOUT_MS = 5000;

/** The latency and the region of an address, or the error that prevented an answer. */
export interface Ping {
  /** The region in the answer; null if there is no answer or it names none. */
  readonly answered: string | null;
  readonly latencyMs: number | null;
  readonly error: string | null;
}

/**
 * Measures the shortest of several exchanges over one connection. Sends no key, so that no rate limit counts them; any
 * status is an answer. Requests an existing path, because the region header is only sent for those. Rejects with
 * TransportError `aborted` when the signal fires.
 */
export async function ping(baseUrl: string, signal: AbortSignal): Promise<Ping> {
  const transport = httpTransport(baseUrl, { connections: 1, connectTimeoutMs: TIMEOUT_MS });
  try {
    let best = Infinity;
    let answered: string | null = null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const start = performance.now();
      const { headers } = await within(TIMEOUT_MS, signal, (ending) =>
        transport.exchange({
          method: ENDPOINTS.listWebhooks.method,
          path: ENDPOINTS.listWebhooks.path,
          headers: { accept: 'application/json' },
          repeatable: true,
          signal: ending,
        }),
      );
      best = Math.min(best, performance.now() - start);
      answered = headers[HEADERS.region] ?? null;
    }
    return { answered, latencyMs: Math.round(best * 10) / 10, error: null };
  } catch (error) {
    if (signal.aborted) throw error;
    return { answered: null, latencyMs: null, error: (error as Error).message };
  } finally {
    await transport.close();
  }
}
