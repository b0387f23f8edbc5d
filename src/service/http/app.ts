import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { ENDPOINTS, type Endpoint, type EndpointName, type RequestOf } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { validate } from '../../contract/validation.ts';
import { newId } from '../../kit/id.ts';
import { DataKeyMissing } from '../crypto/cipher.ts';
import type { Health } from '../operations/health.ts';
import type { Observe } from '../operations/observe.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { idempotency } from '../store/repositories/idempotency.ts';
import type { Workspace } from '../store/repositories/workspaces.ts';
import { ConstraintViolation, StoreUnavailable, StoreUnusable, type Turn, type Tx } from '../store/store.ts';
import type { Admit } from './admit.ts';
import { authenticate, keyHashOf } from './authenticate.ts';
import { discardRest } from './body.ts';
import type { Call, Handler, Handlers, Reply, StreamHandler } from './call.ts';
import { regionOf } from './region.ts';
import { checkedBody } from './request-body.ts';
import { turnsOf } from './turns.ts';

type Ctx = Context<{ Bindings: HttpBindings }>;

export interface AppParts {
  readonly deps: ServiceDeps;
  readonly handlers: Handlers;
  /** What is brought up to date before the transaction of a call, by the id of its workspace. */
  readonly prepare?: { readonly [N in EndpointName]?: (workspaceId: string) => Promise<unknown> };
  readonly streams: { readonly [N in EndpointName]?: StreamHandler };
  readonly admit: Admit;
  readonly observe: Observe;
  readonly health: Health;
  /** The region this service serves; undefined serves every workspace alike. */
  readonly region: string | undefined;
}

/**
 * The service's HTTP application: a route for each entry of the endpoint table, all through the same pipeline:
 * key, region, rate limit, body, schema, then idempotency and handler in one transaction.
 */
export function createApp(parts: AppParts): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const byPath = new Map<string, string[]>();
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const endpoint: Endpoint = ENDPOINTS[name];
    if (!parts.handlers[name] && !parts.streams[name]) continue;
    const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1');
    byPath.set(path, [...(byPath.get(path) ?? []), endpoint.method]);
    app.on(endpoint.method, path, async (c) => {
      const answered = parts.observe.request(name);
      const trace: Trace = { requestId: newId('req'), countedAt: undefined };
      const response = await answer(c, parts, name, endpoint, trace);
      answered(response.status);
      parts.deps.log('debug', 'request', { endpoint: name, status: response.status, ...trace });
      return response;
    });
  }
  for (const [path, methods] of byPath) {
    app.all(path, (c) => {
      const error = new ServiceError('method_not_allowed', undefined, undefined, {
        allow: methods.join(', '),
      });
      return failure(error, newId('req'), new Headers(), c);
    });
  }
  // For load balancers, without a key: is it up, and should it get requests?
  app.get('/healthz', (c) => c.text('ok\n'));
  app.get('/readyz', async (c) =>
    (await parts.health.ready()) ? c.text('ready\n') : c.text('not ready\n', 503),
  );
  app.onError((error, c) => {
    const requestId = newId('req');
    return failure(asServiceError(error, parts.deps, requestId), requestId, new Headers(), c);
  });
  app.notFound((c) => failure(new ServiceError('not_found'), newId('req'), new Headers(), c));
  return app;
}

/** What is known of a request for its log line. */
interface Trace {
  readonly requestId: string;
  /** Limiter time at which it counts against its limit, in ms; undefined where it does not. */
  countedAt: number | undefined;
}

async function answer(
  c: Ctx,
  parts: AppParts,
  name: EndpointName,
  endpoint: Endpoint,
  trace: Trace,
): Promise<Response> {
  const { requestId } = trace;
  const headers = new Headers({ [HEADERS.requestId]: requestId });
  const { deps } = parts;
  try {
    // Also with a 401: a key sent to the wrong region is a wrong key there, and the answer should say where it was.
    if (parts.region) headers.set(HEADERS.region, parts.region);
    const workspace = await authenticate(c.req, deps.store);
    const region = regionOf(workspace, parts.region);
    if (region.header) headers.set(HEADERS.region, region.header);
    if (region.detourMs > 0) await deps.clock.sleep(region.detourMs);
    trace.countedAt = await parts.admit(workspace.id, endpoint.group, headers);

    const request = {
      workspace,
      params: c.req.param() as Record<string, string>,
      query: checkedQuery(c, endpoint),
      requestId,
      deps,
    };
    const stream = parts.streams[name];
    if (stream) {
      headers.set('content-type', 'text/event-stream');
      headers.set('cache-control', 'no-store');
      const body = stream({
        ...request,
        lastEventId: c.req.header('last-event-id'),
        keyHash: keyHashOf(c.req),
      });
      return new Response(body, { status: endpoint.success, headers });
    }
    const { raw, text, body } = await checkedBody(c.env.incoming, endpoint);
    const handler = parts.handlers[name] as Handler<EndpointName>;
    await parts.prepare?.[name]?.(workspace.id);
    const work = (tx: Tx) =>
      handler({ ...request, tx, body, text, now: tx.now } as unknown as Call<EndpointName>);
    const asked = { params: request.params, body: body as RequestOf<EndpointName> };
    const turns = turnsOf(name, workspace.id, asked, c.req.header(HEADERS.idempotencyKey));
    const reply =
      endpoint.method === 'GET' && !endpoint.marks
        ? kept(await deps.store.read(work), endpoint)
        : await once(c, deps, workspace, name, raw, headers, turns, async (tx) =>
            kept(await work(tx), endpoint),
          );
    return respond(reply, headers);
  } catch (error) {
    return await failure(asServiceError(error, deps, requestId), requestId, headers, c);
  }
}

/** A reply as it goes out and is kept: status and JSON text. */
interface Answer {
  readonly status: number;
  readonly body: string | null;
}

function kept(reply: Reply, endpoint: Endpoint): Answer {
  return {
    status: reply.status ?? endpoint.success,
    body: reply.body === undefined ? null : JSON.stringify(reply.body),
  };
}

/** Runs a writing request once per idempotency key (docs/decisions.md, "Repeating a request"). */
async function once(
  c: Ctx,
  deps: ServiceDeps,
  workspace: Workspace,
  name: EndpointName,
  raw: Buffer,
  headers: Headers,
  turns: readonly Turn[],
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  const key = c.req.header(HEADERS.idempotencyKey);
  if (key === undefined) return deps.store.write(work, { turns });
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ServiceError('invalid_request', undefined, [
      { field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters without spaces' },
    ]);
  }
  const digest = createHash('sha256')
    .update(`${name} ${new URL(c.req.url).pathname}\n`)
    .update(raw)
    .digest('hex');
  const attempt = () =>
    deps.store.write(
      async (tx) => {
        const known = await idempotency.find(tx, workspace.id, key);
        if (known && known.digest !== digest) throw new ServiceError('conflict');
        if (known) return { answer: known, replayed: true };
        const made = await work(tx);
        if (!(await idempotency.keep(tx, workspace.id, key, { digest, ...made })))
          throw new AnsweredMeanwhile();
        return { answer: made, replayed: false };
      },
      { turns },
    );
  // `keep` waited for the other node's commit, so the second time its answer is there.
  const { answer, replayed } = await attempt().catch((error) => {
    if (error instanceof AnsweredMeanwhile) return attempt();
    throw error;
  });
  if (replayed) headers.set(HEADERS.idempotentReplayed, 'true');
  return answer;
}

/** Another node has answered the same idempotency key while this one was at it: undoes what was done here. */
class AnsweredMeanwhile extends Error {}

function checkedQuery(c: Ctx, endpoint: Endpoint): Record<string, string> {
  const query = c.req.query();
  if (!endpoint.query) return query;
  const result = validate(endpoint.query, query);
  if (!result.ok) throw new ServiceError('invalid_request', undefined, result.details);
  return result.value as Record<string, string>;
}

function asServiceError(error: unknown, deps: ServiceDeps, requestId: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof ConstraintViolation) {
    return new ServiceError('invalid_request', undefined, [
      { field: 'body', message: 'holds a value that cannot be stored' },
    ]);
  }
  if (error instanceof DataKeyMissing) {
    const words = 'This node was not given the data key, which the request needs.';
    return new ServiceError('unavailable', words, undefined, { [HEADERS.retryAfter]: '1' });
  }
  if (error instanceof StoreUnavailable) {
    deps.log('error', 'the store is unavailable', { requestId, reason: error.message });
    return new ServiceError('unavailable', undefined, undefined, { [HEADERS.retryAfter]: '1' });
  }
  deps.log('error', 'a request failed', {
    requestId,
    reason: error instanceof Error ? error.stack : String(error),
  });
  if (error instanceof StoreUnusable)
    return new ServiceError('internal', 'The data of the service cannot be used; its log says why.');
  return new ServiceError('internal');
}

function respond(answer: Answer, headers: Headers): Response {
  if (answer.body !== null) headers.set('content-type', 'application/json');
  return new Response(answer.body, { status: answer.status, headers });
}

async function failure(error: ServiceError, requestId: string, headers: Headers, c: Ctx): Promise<Response> {
  headers.set(HEADERS.requestId, requestId);
  headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  await discardRest(c.env.incoming);
  return new Response(JSON.stringify(error.body(requestId)), { status: error.status, headers });
}
