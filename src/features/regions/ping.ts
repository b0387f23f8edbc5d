import { httpTransport } from '../../client/transport.ts';
import { ENDPOINTS } from '../../contract/endpoints.ts';
import { HEADERS } from '../../contract/headers.ts';

const TRIES = 4;
const TIMEOUT_MS = 5000;

/** The time of an answer in ms, or in words why there is none, and the region it says it came from. */
export interface Ping {
  /** Null where there is no answer, or it does not say. */
  readonly answered: string | null;
  readonly latencyMs: number | null;
  readonly error: string | null;
}

/**
 * The shortest of a few exchanges with an address over one connection. Sent without a key, so that it is counted
 * against no limit; whatever status comes back is an answer. It asks for something that the service has, for the sake
 * of the region's header. Rejects with TransportError `aborted` when the signal fires.
 */
export async function ping(baseUrl: string, signal: AbortSignal): Promise<Ping> {
  const transport = httpTransport(baseUrl, { connections: 1, connectTimeoutMs: TIMEOUT_MS });
  try {
    let best = Infinity;
    let answered: string | null = null;
    for (let turn = 0; turn < TRIES; turn++) {
      const start = performance.now();
      const { headers } = await transport.exchange({
        method: ENDPOINTS.listWebhooks.method,
        path: ENDPOINTS.listWebhooks.path,
        headers: { accept: 'application/json' },
        repeatable: true,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
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
