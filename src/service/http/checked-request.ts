import type { IncomingMessage } from 'node:http';
import type { HonoRequest } from 'hono';
import type { Endpoint } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS, IMPORT_RUN } from '../../contract/headers.ts';
import { MAX_BATCH } from '../../contract/limits.ts';
import { type Detail, validate } from '../../contract/validation.ts';
import { readBody } from './body.ts';
import type { Descriptor } from './endpoint.ts';
import { parseJson } from './json-body.ts';

/** The run of an import that a request names. Throws invalid_request. */
export function runOf(request: HonoRequest, { ofRuns }: Endpoint): string | undefined {
  const run = ofRuns ? request.header(HEADERS.importRun) : undefined;
  if (run === undefined || IMPORT_RUN.test(run)) return run;
  throw new ServiceError('invalid_request', undefined, [
    { field: 'X-Service-Import-Run', message: 'must be 1 to 64 letters, digits, hyphens and underscores' },
  ]);
}

/** The query of a request, as the endpoint's schema reads it. Throws invalid_request, also for a field that is given twice. */
export function checkedQuery(request: HonoRequest, endpoint: Endpoint): Record<string, string> {
  if (!endpoint.query) return request.query();
  const given = Object.entries(request.queries());
  const repeated = given.filter(([, values]) => values.length > 1);
  if (repeated.length > 0)
    throw new ServiceError(
      'invalid_request',
      undefined,
      repeated.map(([field]) => ({ field, message: 'must be given once' })),
    );
  const result = validate(endpoint.query, Object.fromEntries(given.map(([name, [value]]) => [name, value])));
  if (!result.ok) throw new ServiceError('invalid_request', undefined, result.details);
  return result.value as Record<string, string>;
}

/** The body of a request: its bytes, and what the handler gets. */
export interface CheckedBody {
  readonly raw: Buffer;
  readonly body: unknown;
}

/** Reads, parses and validates the body of a request, of at most `most` bytes. Throws a ServiceError that describes what is invalid. */
export async function checkedBody(
  request: IncomingMessage,
  endpoint: Endpoint,
  { readBody: read, records }: Pick<Descriptor, 'readBody' | 'records'>,
  most?: number,
): Promise<CheckedBody> {
  if (endpoint.method === 'GET') return { raw: Buffer.alloc(0), body: undefined };
  const type = request.headers['content-type'];
  if (endpoint.request && !/^application\/json\s*(;|$)/i.test(type ?? ''))
    throw new ServiceError('unsupported_media_type');
  const raw = await readBody(request, most);
  if (!endpoint.request) return { raw, body: undefined };
  return { raw, body: read ? read(raw) : checked(endpoint.request, records, parseJson(raw).value) };
}

type Schema = NonNullable<Endpoint['request']>;

/** Records of a batch that are validated together. */
const CHUNK = 2;
/** Maximum number of errors listed per record and per request. */
const MAX_ERRORS_PER_RECORD = 5;
const MAX_ERRORS = 1000;
/** Maximum number of errors collected, listed or not: each takes 10 µs and 500 bytes. */
const MAX_COLLECTED = 1000;

/**
 * Validates a body. Records in the field `name` are validated in chunks, up to the limit of errors: listing every error
 * of an 8 MiB body could take seconds and hundreds of megabytes. Throws invalid_request.
 */
export function checked(schema: Schema, name: string | undefined, value: unknown): unknown {
  if (name === undefined || !isBatch(value, name)) return validOrThrow(validate(schema, value));
  const { [name]: records, ...rest } = value as Record<string, unknown> & Record<string, unknown[]>;
  const details: Detail[] = [];
  const good: unknown[] = [];
  let whole: Record<string, unknown> = {};
  let collected = 0;
  for (
    let from = 0;
    from < records!.length && details.length < MAX_ERRORS && collected < MAX_COLLECTED;
    from += CHUNK
  ) {
    const chunk = { ...(from === 0 ? rest : {}), [name]: records!.slice(from, from + CHUNK) };
    const result = validate(schema, chunk);
    if (!result.ok) {
      collected += result.details.length;
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

/** True for a body whose records can be validated in chunks. */
function isBatch(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const records = (value as Record<string, unknown>)[name];
  return Array.isArray(records) && records.length > CHUNK && records.length <= MAX_BATCH;
}

function firstOfEach(details: readonly Detail[], from: number): Detail[] {
  const seen = new Map<number | undefined, number>();
  const kept: Detail[] = [];
  for (const detail of details) {
    const count = (seen.get(detail.index) ?? 0) + 1;
    seen.set(detail.index, count);
    if (count > MAX_ERRORS_PER_RECORD) continue;
    kept.push(detail.index === undefined ? detail : { ...detail, index: detail.index + from });
  }
  return kept;
}

function validOrThrow(result: ReturnType<typeof validate>): unknown {
  if (!result.ok)
    throw new ServiceError('invalid_request', undefined, firstOfEach(result.details, 0).slice(0, MAX_ERRORS));
  return result.value;
}
