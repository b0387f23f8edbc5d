import type { Client } from '../../client/client.ts';
import { isUnsupported } from '../../client/errors.ts';

/**
 * Sends the cheapest read (docs/design-choices.md, "Probe request"), so that the client observes the limits in its answer.
 * Resolves with false if the service does not support it. Otherwise rejects like `Client.call`.
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
