import { parseJson } from '../../../src/service/http/json-body.ts';
import type { EventBatch } from '../../../src/service/store/repositories/events.ts';

/** Makes the batch that the service stores of a request with this body. */
export function eventBatch(json: string): EventBatch {
  const { value, ...sent } = parseJson(Buffer.from(json));
  return { ...sent, events: (value as { events: EventBatch['events'] }).events };
}
