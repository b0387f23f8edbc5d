import { httpTransport } from '../client/transport.ts';

const TRIES = 4;
const TIMEOUT_MS = 5000;

/** The time of an answer in ms, or in words why there is none. */
export interface Ping {
  readonly latencyMs: number | null;
  readonly error: string | null;
}

/**
 * The shortest of a few exchanges with an address over one connection. Sent without a key, so that it is counted
 * against no limit; whatever status comes back is an answer.
 */
export async function ping(baseUrl: string, signal: AbortSignal): Promise<Ping> {
  const transport = httpTransport(baseUrl, { connections: 1, connectTimeoutMs: TIMEOUT_MS });
  try {
    let best = Infinity;
    for (let turn = 0; turn < TRIES; turn++) {
      const start = performance.now();
      await transport.exchange({
        method: 'HEAD',
        path: '/',
        headers: { accept: 'application/json' },
        repeatable: true,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      best = Math.min(best, performance.now() - start);
    }
    return { latencyMs: Math.round(best * 10) / 10, error: null };
  } catch (error) {
    return { latencyMs: null, error: (error as Error).message };
  } finally {
    await transport.close();
  }
}
