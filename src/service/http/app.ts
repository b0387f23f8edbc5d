import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { ENDPOINTS, type Endpoint, type EndpointName, type RequestOf } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { validate } from '../../contract/validation.ts';
import { newId } from '../../kit/id.ts';
import type { Health } from '../operations/health.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { sendingMode, workspaces } from '../store/repositories/workspaces.ts';
import { StoreUnavailable, type Tx } from '../store/store.ts';
import type { Admit } from './admit.ts';
import { type Authenticate, keyHashOf } from './authenticate.ts';
import type { Call, Handler, Handlers, Reply, StreamHandler } from './call.ts';
import type { AdmitClient } from './client-access.ts';
import { preflight } from './cross-origin.ts';
import { errorResponse, toServiceError } from './error-response.ts';
import { type Answer, writeOnce } from './idempotent-write.ts';
import { BULK, INTERACTIVE, JOINED, PAGES } from './precedence.ts';
import { addReceipts, RECEIPTS_PATH, type ReceiptParts } from './receipts.ts';
import type { RequestRecord, RequestRecorder } from './record-requests.ts';
import { regionOf } from './region.ts';
import { checkedBody } from './request-body.ts';
import { turnsOf } from './turns.ts';
import { addUnsubscribe, UNSUBSCRIBE_ROUTE } from './unsubscribe.ts';

type Ctx = Context<{ Bindings: HttpBindings }>;

/** Resolves when all is up to date; undefined where there is nothing to do for a request that is not admitted yet. */
type Prepare = (workspaceId: string, admitted: boolean) => Promise<unknown> | undefined;

export interface AppParts {
  readonly deps: ServiceDeps;
  readonly handlers: Handlers;
  /**
   * What is brought up to date before the transaction of a call, by the id of its workspace. It is asked before the request
   * is admitted, with the workspace that the request names, and if it does nothing then, afterwards.
   */
  readonly prepare?: { readonly [N in EndpointName]?: Prepare };
  readonly streams: { readonly [N in EndpointName]?: StreamHandler };
  readonly admit: Admit;
  /**
   * The workspace of all requests, without a key and uncounted: for an application that is never listened for, which
   * answers the console in this process (RunningService.answer). Undefined for requests from the network.
   */
  readonly inside?: string | undefined;
  readonly authenticate: Authenticate;
  readonly admitClient: AdmitClient;
  readonly receipts: Omit<ReceiptParts, 'deps' | 'recorder'>;
  readonly recorder: RequestRecorder;
  readonly health: Health;
  /** The region of this service; undefined if it serves all workspaces alike. */
  readonly region: string | undefined;
}

/**
 * The service's HTTP application: one route per entry of the endpoint table. Every request passes the
 * same pipeline: key, region, rate limit, body, schema, then idempotency and handler in one transaction.
 */
export function createApp(parts: AppParts): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const byPath = new Map<string, string[]>();
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const endpoint: Endpoint = ENDPOINTS[name];
    if (!parts.handlers[name] && !parts.streams[name]) continue;
    const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1');
    byPath.set(path, [...(byPath.get(path) ?? []), endpoint.method]);
    if (endpoint.forClients)
      app.options(path, (c) => preflight(c.req.header('origin'), [endpoint.method], parts.deps.store));
    app.on(endpoint.method, path, async (c) => {
      const { method, path: route } = endpoint;
      const traceparent = c.req.header('traceparent');
      const record = parts.recorder.begin({ endpoint: name, method, route, traceparent });
      const work = () => answer(c, parts, name, endpoint, record);
      const response = await (INTERACTIVE.has(name) ? parts.deps.precedence.during(work) : work());
      record.end(response.status);
      return response;
    });
  }
  addReceipts(app, { deps: parts.deps, recorder: parts.recorder, ...parts.receipts });
  addUnsubscribe(app, { deps: parts.deps, recorder: parts.recorder, ...parts.receipts });
  /** Answers a request for which there is no endpoint. */
  const refuse = async (c: Ctx, error: ServiceError) => {
    const { method } = c.req;
    const traceparent = c.req.header('traceparent');
    const record = parts.recorder.begin({ endpoint: undefined, method, route: undefined, traceparent });
    record.end(error.status);
    return errorResponse(error, c.env.incoming, record.requestId);
  };
  byPath.set(RECEIPTS_PATH, ['GET', 'POST']);
  byPath.set(UNSUBSCRIBE_ROUTE, ['GET', 'POST']);
  for (const [path, methods] of byPath) {
    const error = new ServiceError('method_not_allowed', undefined, undefined, { allow: methods.join(', ') });
    app.all(path, (c) => refuse(c, error));
  }
  // For load balancers, without a key: liveness and readiness.
  app.get('/healthz', (c) => c.text('ok\n'));
  app.get('/readyz', async (c) => {
    const { status, body } = await parts.health.answer();
    return c.text(body, status);
  });
  // Without a key: a client is made from it before there is one.
  app.get('/openapi.json', async (c) => {
    const { openApiText } = await import('../../contract/document.ts');
    return c.body(openApiText, 200, { 'content-type': 'application/json' });
  });
  app.onError((error, c) => {
    const requestId = newId('req');
    return errorResponse(toServiceError(error, parts.deps.log, requestId), c.env.incoming, requestId);
  });
  app.notFound((c) => refuse(c, new ServiceError('not_found')));
  return app;
}

/** Answers one request; errors become error responses. */
async function answer(
  c: Ctx,
  parts: AppParts,
  name: EndpointName,
  endpoint: Endpoint,
  record: RequestRecord,
): Promise<Response> {
  const { requestId, trace } = record;
  const headers = new Headers({ [HEADERS.requestId]: requestId });
  const { deps } = parts;
  try {
    const prepared = parts.prepare?.[name]?.(c.req.header(HEADERS.workspace) ?? '', false);
    prepared?.catch(() => {});
    const request = {
      ...(await admitted(c, parts, endpoint, record, headers)),
      params: c.req.param() as Record<string, string>,
      query: checkedQuery(c, endpoint),
      requestId,
      trace,
      deps,
    };
    const stream = parts.streams[name];
    return stream
      ? startStream(c, parts, endpoint, stream, request, headers)
      : await callHandler(c, parts, name, endpoint, request, headers, prepared);
  } catch (error) {
    return errorResponse(toServiceError(error, deps.log, requestId), c.env.incoming, requestId, headers);
  }
}

type AdmittedRequest = Omit<Parameters<StreamHandler>[0], 'lastEventId' | 'keyHash'>;

function startStream(
  c: Ctx,
  parts: AppParts,
  endpoint: Endpoint,
  stream: StreamHandler,
  request: AdmittedRequest,
  headers: Headers,
): Response {
  headers.set('content-type', 'text/event-stream');
  headers.set('cache-control', 'no-store');
  const lastEventId = c.req.header('last-event-id');
  const keyHash = parts.inside === undefined ? keyHashOf(c.req) : undefined;
  const body = stream({ ...request, lastEventId, keyHash });
  return new Response(body, { status: endpoint.success, headers });
}

/** Runs the handler in a transaction: a read, or a write that is idempotent under the request's key. */
async function callHandler(
  c: Ctx,
  parts: AppParts,
  name: EndpointName,
  endpoint: Endpoint,
  request: AdmittedRequest,
  headers: Headers,
  prepared: Promise<unknown> | undefined,
): Promise<Response> {
  const { workspace, onlyUser, deps } = request;
  const { raw, body } = await checkedBody(c.env.incoming, endpoint);
  const handler = parts.handlers[name] as Handler<EndpointName>;
  await (prepared ?? parts.prepare?.[name]?.(workspace.id, true));
  const work = async (tx: Tx) => {
    const call = {
      ...request,
      tx,
      body,
      get now() {
        return tx.now;
      },
    } as unknown as Call<EndpointName>;
    const reply = await handler(call);
    return { answer: toAnswer(reply, endpoint), last: reply.last };
  };
  if (PAGES.has(name)) await deps.precedence.piece();
  if (endpoint.storesNothing || (endpoint.method === 'GET' && !endpoint.marks))
    return respond((await deps.store.read(work)).answer, headers);

  const idempotencyKey = c.req.header(HEADERS.idempotencyKey);
  const checked = { params: request.params, body: body as RequestOf<EndpointName> };
  const written = await writeOnce(
    deps.store,
    {
      workspaceId: workspace.id,
      endpoint: name,
      path: c.req.path,
      body: raw,
      onlyUser,
      idempotencyKey,
      bulk: BULK.has(name),
      joined: JOINED.has(name) && idempotencyKey === undefined,
      turns: turnsOf(name, workspace.id, checked, idempotencyKey),
    },
    work,
  );
  if (written.replayed) headers.set(HEADERS.idempotentReplayed, 'true');
  return respond(written.answer, headers);
}

/** Authenticates a request, applies the region's delay and counts the request. Sets the headers of each step. */
async function admitted(
  c: Ctx,
  parts: AppParts,
  endpoint: Endpoint,
  record: RequestRecord,
  headers: Headers,
): Promise<Pick<Call, 'workspace' | 'onlyUser'>> {
  const { deps, inside } = parts;
  if (inside !== undefined) {
    const workspace = await deps.store.read((tx) => workspaces.get(tx, inside));
    if (!workspace) throw new ServiceError('forbidden');
    headers.set(HEADERS.mode, sendingMode(workspace.mode));
    return { workspace, onlyUser: undefined };
  }
  // Also with a 401: a key sent to the wrong region is unknown there, and the response should name that region.
  if (parts.region) headers.set(HEADERS.region, parts.region);
  const holder = await parts.authenticate(c.req);
  const { workspace } = holder;
  headers.set(HEADERS.mode, sendingMode(workspace.mode));
  // Before it takes a connection, which a worker that is silent would keep from others.
  if (deps.store.workers?.isOut(workspace.id))
    throw new StoreUnavailable(`the worker of ${workspace.id} does not answer`, undefined);
  const region = regionOf(workspace, parts.region);
  if (region.header) headers.set(HEADERS.region, region.header);
  if (region.detourMs > 0) await deps.clock.sleep(region.detourMs);
  if (holder.kind === 'publishable')
    return { workspace, onlyUser: await parts.admitClient(c.req, c.env.incoming, holder, endpoint, headers) };
  record.countedAt = await parts.admit(workspace.id, endpoint.group, headers);
  return { workspace, onlyUser: undefined };
}

function checkedQuery(c: Ctx, endpoint: Endpoint): Record<string, string> {
  const query = c.req.query();
  if (!endpoint.query) return query;
  const result = validate(endpoint.query, query);
  if (!result.ok) throw new ServiceError('invalid_request', undefined, result.details);
  return result.value as Record<string, string>;
}

function toAnswer(reply: Reply, endpoint: Endpoint): Answer {
  return {
    status: reply.status ?? endpoint.success,
    body: reply.body === undefined ? null : JSON.stringify(reply.body),
  };
}

function respond(answer: Answer, headers: Headers): Response {
  if (answer.body !== null) headers.set('content-type', 'application/json');
  return new Response(answer.body, { status: answer.status, headers });
}
