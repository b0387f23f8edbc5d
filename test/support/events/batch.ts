import { parsedBatch } from '../../../src/service/events/ingest/batch.ts';
import type { EventBatch } from '../../../src/service/events/store/append.ts';
import { parseJson } from '../../../src/service/http/json-body.ts';

/** Makes the batch that the service stores of a request with this body, without checking it. */
export function eventBatch(body: string): EventBatch {
  const { value, ...json } = parseJson(Buffer.from(body));
  return parsedBatch(json, value as Parameters<typeof parsedBatch>[1]);
}
