import type { Client } from '../../client/client.ts';
import { isUnsupported } from '../../client/errors.ts';

/**
 * The cheapest read there is (docs/decisions.md, "A cheap read"): its answer's headers are noted on the way. Resolves
 * with whether the service has it. Rejects like `Client.call` otherwise.
 */
export async function cheapRead(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.call('listWebhooks', { signal });
    return true;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}
