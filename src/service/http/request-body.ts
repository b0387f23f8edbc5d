import type { IncomingMessage } from 'node:http';
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { MAX_BATCH } from '../../contract/limits.ts';
import { type Detail, validate } from '../../contract/validation.ts';
import { readBody } from './body.ts';
import { parseJson } from './json-body.ts';
import { isSurelyValidIngest } from './quick-check.ts';

/** A request's body as bytes, as text, and as the value that its endpoint's schema found valid. */
export interface CheckedBody {
  readonly raw: Buffer;
  readonly text: string;
  readonly body: unknown;
}

/** Reads, parses and checks the body of a request. Throws a ServiceError that says what is wrong with it. */
export async function checkedBody(request: IncomingMessage, endpoint: Endpoint): Promise<CheckedBody> {
  if (endpoint.method === 'GET') return { raw: Buffer.alloc(0), text: '', body: undefined };
  const type = request.headers['content-type'];
  if (endpoint.request && !/^application\/json\s*(;|$)/i.test(type ?? ''))
    throw new ServiceError('unsupported_media_type');
  const raw = await readBody(request);
  if (!endpoint.request) return { raw, text: '', body: undefined };
  const { text, value } = parseJson(raw);
  if (endpoint === ENDPOINTS.ingestEvents && isSurelyValidIngest(value)) return { raw, text, body: value };
  return { raw, text, body: checked(endpoint, endpoint.request, value) };
}

type Schema = NonNullable<Endpoint['request']>;

const BATCHES: ReadonlyMap<Endpoint, string> = new Map<Endpoint, string>([
  [ENDPOINTS.ingestEvents, 'events'],
  [ENDPOINTS.ingestUsers, 'users'],
]);

/** Records of a batch that are checked together, faults listed of one record, and of one request. */
const PIECE = 2;
const FAULTS_OF_RECORD = 5;
const FAULTS = 1000;
/** Most faults that are looked for, listed or not: each takes 10 µs and 500 bytes. */
const FOUND = 1000;

/**
 * Checks a batch piece by piece and stops when enough is known to be wrong with it: listing every fault of a body made
 * of nothing else takes seconds and hundreds of megabytes.
 */
function checked(endpoint: Endpoint, schema: Schema, value: unknown): unknown {
  const name = batchOf(endpoint, value);
  if (name === undefined) return validOrThrow(validate(schema, value));
  const { [name]: records, ...rest } = value as Record<string, unknown> & Record<string, unknown[]>;
  const details: Detail[] = [];
  const good: unknown[] = [];
  let whole: Record<string, unknown> = {};
  let found = 0;
  for (let from = 0; from < records!.length && details.length < FAULTS && found < FOUND; from += PIECE) {
    const piece = { ...(from === 0 ? rest : {}), [name]: records!.slice(from, from + PIECE) };
    const result = validate(schema, piece);
    if (!result.ok) {
      found += result.details.length;
      details.push(...firstOfEach(result.details, from));
    } else if (details.length === 0) {
      const valid = result.value as Record<string, unknown[]>;
      if (from === 0) whole = valid;
      good.push(...valid[name]!);
    }
  }
  if (details.length > 0) throw new ServiceError('invalid_request', undefined, details);
  return { ...whole, [name]: good };
}

/** The field that holds a batch's records, where they can be checked in pieces. */
function batchOf(endpoint: Endpoint, value: unknown): string | undefined {
  const name = BATCHES.get(endpoint);
  if (name === undefined || typeof value !== 'object' || value === null) return undefined;
  const records = (value as Record<string, unknown>)[name];
  return Array.isArray(records) && records.length > PIECE && records.length <= MAX_BATCH ? name : undefined;
}

function firstOfEach(details: readonly Detail[], from: number): Detail[] {
  const seen = new Map<number | undefined, number>();
  const kept: Detail[] = [];
  for (const detail of details) {
    const count = (seen.get(detail.index) ?? 0) + 1;
    seen.set(detail.index, count);
    if (count > FAULTS_OF_RECORD) continue;
    kept.push(detail.index === undefined ? detail : { ...detail, index: detail.index + from });
  }
  return kept;
}

function validOrThrow(result: ReturnType<typeof validate>): unknown {
  if (!result.ok)
    throw new ServiceError('invalid_request', undefined, firstOfEach(result.details, 0).slice(0, FAULTS));
  return result.value;
}
