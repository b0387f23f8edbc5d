import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { FEATURES, HEADERS, IMPORT_RUN } from '../../contract/headers.ts';
import { validate } from '../../contract/validation.ts';
import { newId } from '../../kit/id.ts';
import type { Platform } from '../platform/platform.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { StoreUnavailable, type Tx } from '../platform/store/store.ts';
import type { Admit } from './access/admit.ts';
import { type Authenticate, assertOpen, keyHashOf, workspaceOf } from './access/authenticate.ts';
import type { AdmitClient } from './access/client-access.ts';
import { preflight } from './access/cross-origin.ts';
import { regionOf } from './access/region.ts';
import { AnswerHeaders } from './answer-headers.ts';
import type { readAppScript } from './app-script.ts';
import type {
  Call,
  Descriptor,
  Endpoints,
  StreamDescriptor,
  StreamHandler,
  UnkeyedHandler,
  UnkeyedRoute,
} from './endpoint.ts';
import { errorResponse, toServiceError } from './error-response.ts';
import { type Answer, writeOnce } from './idempotent-write.ts';
import type { RequestRecord, RequestRecorder } from './record-requests.ts';
import { checkedBody } from './request-body.ts';
import { respond, respondByTag, toAnswer } from './respond.ts';

type Ctx = Context<{ Bindings: HttpBindings }>;

export interface AppParts {
  readonly platform: Pick<Platform, 'store' | 'clock' | 'log' | 'precedence'>;
  /** What the features serve. An endpoint of the contract that none serves is answered with 404. */
  readonly endpoints: Endpoints;
  readonly admit: Admit;
  /**
   * The workspace of all requests, without a key and uncounted: for an application that is never listened for, which
   * answers the console in this process (RunningService.answer). Undefined for requests from the network.
   */
  readonly inside?: string | undefined;
  readonly authenticate: Authenticate;
  readonly admitClient: AdmitClient;
  /** Endpoints that take no API key: what they are sent is signed or sealed. */
  readonly unkeyed: readonly UnkeyedRoute[];
  readonly recorder: RequestRecorder;
  /** The answer of /readyz. */
  readonly readiness: () => Promise<{ readonly status: 200 | 503; readonly body: string }>;
  /** The region of this service; undefined if it serves all workspaces alike. */
  readonly region: string | undefined;
  /** The script that web pages load; undefined for a service of this process alone. */
  readonly appScript?: ReturnType<typeof readAppScript>;
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
    const served = descriptorOf(parts.endpoints[name]);
    if (!served) continue;
    const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1');
    byPath.set(path, [...(byPath.get(path) ?? []), endpoint.method]);
    if (endpoint.forClients)
      app.options(path, (c) => preflight(c.req.header('origin'), [endpoint.method], parts.platform.store));
    app.on(endpoint.method, path, async (c) => {
      const { method, path: route } = endpoint;
      const traceparent = c.req.header('traceparent');
      const record = parts.recorder.begin({ endpoint: name, method, route, traceparent });
      const work = () => answer(c, parts, { name, endpoint, served }, record);
      const waits = 'handle' in served && served.priority === 'interactive';
      const response = await (waits ? parts.platform.precedence.during(work) : work());
      record.end(response.status);
      return response;
    });
  }
  for (const { name, path, methods } of parts.unkeyed) {
    const route = path.replace(/\{(\w+)\}/g, ':$1');
    byPath.set(route, Object.keys(methods));
    for (const [method, handle] of Object.entries(methods))
      app.on(method, route, (c) => answerUnkeyed(c, parts, { name, path, handle }));
  }
  /** Answers a request for which there is no endpoint. */
  const refuse = async (c: Ctx, error: ServiceError) => {
    const { method } = c.req;
    const traceparent = c.req.header('traceparent');
    const record = parts.recorder.begin({ endpoint: undefined, method, route: undefined, traceparent });
    record.end(error.status);
    return errorResponse(error, c.env.incoming, record.requestId);
  };
  for (const [path, methods] of byPath) {
    const error = new ServiceError('method_not_allowed', undefined, undefined, { allow: methods.join(', ') });
    app.all(path, (c) => refuse(c, error));
  }
  // Without a key, for web pages.
  for (const path of parts.appScript?.paths ?? [])
    app.get(path, (c) => parts.appScript!.answer(c, parts.platform.clock.now()));
  // For load balancers, without a key: liveness and readiness.
  app.get('/healthz', (c) => c.text('ok\n'));
  app.get('/readyz', async (c) => {
    const { status, body } = await parts.readiness();
    return c.text(body, status);
  });
  // Without a key: a client is made from it before there is one.
  app.get('/openapi.json', async (c) => {
    const { openApiText } = await import('../../contract/document.ts');
    return c.body(openApiText, 200, { 'content-type': 'application/json' });
  });
  app.onError((error, c) => {
    const requestId = newId('req');
    return errorResponse(toServiceError(error, parts.platform.log, requestId), c.env.incoming, requestId);
  });
  app.notFound((c) => refuse(c, new ServiceError('not_found')));
  return app;
}

/** An endpoint of the contract, and how it is served. */
interface Served<D = Descriptor | StreamDescriptor> {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly served: D;
}

function descriptorOf(given: Endpoints[EndpointName]): Descriptor | StreamDescriptor | undefined {
  return (typeof given === 'function' ? { handle: given } : given) as
    | Descriptor
    | StreamDescriptor
    | undefined;
}

/** Answers one request; errors become error responses. */
async function answer(c: Ctx, parts: AppParts, target: Served, record: RequestRecord): Promise<Response> {
  const { requestId, trace } = record;
  const headers = new AnswerHeaders();
  headers.set(HEADERS.requestId, requestId);
  const { endpoint, served } = target;
  try {
    const prepared =
      'handle' in served
        ? served.prepare?.(c.req.header(HEADERS.workspace) ?? '', undefined, undefined)
        : undefined;
    prepared?.catch(() => {});
    const request = {
      ...(await admitted(c, parts, endpoint, record, headers)),
      params: c.req.param() as Record<string, string>,
      query: checkedQuery(c, endpoint),
      run: runOf(c, endpoint),
      requestId,
      trace,
    };
    return 'handle' in served
      ? await callHandler(c, parts, { ...target, served }, request, headers, prepared)
      : startStream(c, parts, endpoint, served.stream, request, headers);
  } catch (error) {
    const known = toServiceError(error, parts.platform.log, requestId);
    return errorResponse(known, c.env.incoming, requestId, headers);
  }
}

/** Answers a request to an endpoint without an API key, which admits it itself. */
async function answerUnkeyed(
  c: Ctx,
  { platform, recorder }: AppParts,
  { name, path, handle }: { name: string; path: string; handle: UnkeyedHandler },
): Promise<Response> {
  const traceparent = c.req.header('traceparent');
  const record = recorder.begin({ endpoint: name, method: c.req.method, route: path, traceparent });
  const { requestId } = record;
  let response: Response;
  try {
    response = await handle(c.req, c.env.incoming);
  } catch (error) {
    response = await errorResponse(toServiceError(error, platform.log, requestId), c.env.incoming, requestId);
  }
  record.end(response.status);
  return response;
}

type AdmittedRequest = Omit<Parameters<StreamHandler>[0], 'lastEventId' | 'keyHash' | 'socket'>;

function startStream(
  c: Ctx,
  parts: AppParts,
  endpoint: Endpoint,
  stream: StreamHandler,
  request: AdmittedRequest,
  headers: AnswerHeaders,
): Response {
  headers.set('content-type', 'text/event-stream');
  headers.set('cache-control', 'no-store');
  const lastEventId = c.req.header('last-event-id');
  const keyHash = parts.inside === undefined ? keyHashOf(c.req) : undefined;
  const body = stream({ ...request, lastEventId, keyHash, socket: c.env?.incoming?.socket });
  return new Response(body, { status: endpoint.success, headers: headers.fields });
}

/** Runs the handler in a transaction: a read, or a write that is idempotent under the request's key. */
async function callHandler(
  c: Ctx,
  { platform: { store, precedence } }: AppParts,
  { name, endpoint, served }: Served<Descriptor>,
  request: AdmittedRequest,
  headers: AnswerHeaders,
  prepared: Promise<unknown> | undefined,
): Promise<Response> {
  const { workspace, onlyUser, client } = request;
  const most = client && endpoint.clientBytes;
  const { raw, body } = await checkedBody(c.env.incoming, endpoint, served, most).catch((error) => {
    served.refused?.(workspace.id);
    throw error;
  });
  await (prepared ?? served.prepare?.(workspace.id, body as Call['body'], request.params));
  const callIn = (tx: Tx) =>
    ({
      ...request,
      tx,
      body,
      get now() {
        return tx.now;
      },
    }) as unknown as Call;
  const work = async (tx: Tx) => {
    const reply = await served.handle(callIn(tx));
    const { error, beforeCommit, afterCommit } = reply;
    const answer = error
      ? { status: error.status, body: JSON.stringify(error.body(request.requestId)) }
      : toAnswer(reply, endpoint);
    return { answer, refused: error !== undefined, beforeCommit, afterCommit };
  };
  const writing = async (tx: Tx) => (await pipeline([assertOpen(tx, workspace.id), work(tx)]))[1];
  if (served.priority === 'page') await precedence.yieldToRequests();
  if (endpoint.storesNothing || (endpoint.method === 'GET' && !endpoint.marks))
    return respond((await store.read(work)).answer, headers);

  const idempotencyKey = c.req.header(HEADERS.idempotencyKey);
  const respondTagged = (answer: Answer) =>
    endpoint.tagged ? respondByTag(c.req.header('if-none-match'), answer, headers) : respond(answer, headers);
  if (served.unmarked && idempotencyKey === undefined) {
    const reply = await served.unmarked({ ...request, body } as unknown as Call, (work) =>
      store.read((tx) => work(callIn(tx))),
    );
    if (reply) return respondTagged(toAnswer(reply, endpoint));
  }
  const shared = served.concurrencyKeys?.({ params: request.params, body: body as Call['body'] }) ?? [];
  const keys = idempotencyKey === undefined ? shared : [...shared, { key: `key ${idempotencyKey}` }];
  const written = await writeOnce(
    store,
    {
      workspaceId: workspace.id,
      endpoint: name,
      path: c.req.path,
      body: raw,
      onlyUser,
      idempotencyKey,
      bulk: served.priority === 'bulk',
      pipelinedBegin: served.pipelinedBegin === true && idempotencyKey === undefined,
      concurrencyKeys: keys.map((limit) => ({ ...limit, key: `${workspace.id} ${limit.key}` })),
    },
    writing,
  );
  if (written.replayed) headers.set(HEADERS.idempotentReplayed, 'true');
  return respondTagged(written.answer);
}

/** Sets the headers that describe the service to holders of a key of a workspace. */
function describe({ mode }: Call['workspace'], headers: AnswerHeaders): void {
  headers.set(HEADERS.mode, mode);
  headers.set(HEADERS.features, FEATURES);
}

/** Authenticates a request, applies the region's delay and counts the request. Sets the headers of each step. */
async function admitted(
  c: Ctx,
  parts: AppParts,
  endpoint: Endpoint,
  record: RequestRecord,
  headers: AnswerHeaders,
): Promise<Pick<Call, 'workspace' | 'onlyUser' | 'client'>> {
  const { inside } = parts;
  const { store, clock } = parts.platform;
  if (inside !== undefined) {
    const workspace = await workspaceOf(store, inside);
    if (!workspace) throw new ServiceError('forbidden');
    describe(workspace, headers);
    return { workspace, onlyUser: undefined, client: undefined };
  }
  // Also with a 401: a key sent to the wrong region is unknown there, and the response should name that region.
  if (parts.region) headers.set(HEADERS.region, parts.region);
  const holder = await parts.authenticate(c.req);
  const { workspace } = holder;
  describe(workspace, headers);
  // Before it takes a connection, which a worker that is silent would keep from others.
  if (store.workers?.isUnreachable(workspace.id))
    throw new StoreUnavailable(`the worker of ${workspace.id} does not answer`, undefined);
  const region = regionOf(workspace, parts.region);
  if (region.header) headers.set(HEADERS.region, region.header);
  if (region.detourMs > 0) await clock.sleep(region.detourMs);
  if (holder.kind === 'publishable') {
    const onlyUser = await parts.admitClient(c.req, c.env.incoming, holder, endpoint, headers);
    return { workspace, onlyUser, client: holder.clients };
  }
  record.countedAt = await parts.admit(workspace.id, endpoint.group, headers);
  return { workspace, onlyUser: undefined, client: undefined };
}

/** The run of an import that a request names. Throws invalid_request. */
function runOf(c: Ctx, { ofRuns }: Endpoint): string | undefined {
  const run = ofRuns ? c.req.header(HEADERS.importRun) : undefined;
  if (run === undefined || IMPORT_RUN.test(run)) return run;
  throw new ServiceError('invalid_request', undefined, [
    { field: 'X-Service-Import-Run', message: 'must be 1 to 64 letters, digits, hyphens and underscores' },
  ]);
}

function checkedQuery(c: Ctx, endpoint: Endpoint): Record<string, string> {
  if (!endpoint.query) return c.req.query();
  const given = Object.entries(c.req.queries());
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
