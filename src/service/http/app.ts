import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { newId } from '../../kit/id.ts';
import type { Platform } from '../platform/platform.ts';
import { type AdmissionParts, admitted } from './access/admission.ts';
import { keyHashOf } from './access/authenticate.ts';
import { preflight } from './access/cross-origin.ts';
import { AnswerHeaders } from './answer-headers.ts';
import type { readAppScript } from './app-script.ts';
import { checkedQuery, runOf } from './checked-request.ts';
import type {
  Descriptor,
  Endpoints,
  StreamDescriptor,
  StreamHandler,
  UnkeyedHandler,
  UnkeyedRoute,
} from './endpoint.ts';
import { errorResponse, toServiceError } from './error-response.ts';
import type { RequestRecord, RequestRecorder } from './record-requests.ts';
import { type AdmittedRequest, runHandler } from './run-handler.ts';

type Ctx = Context<{ Bindings: HttpBindings }>;

export interface AppParts extends AdmissionParts {
  readonly platform: Pick<Platform, 'store' | 'clock' | 'log' | 'precedence'>;
  /** What the features serve. An endpoint of the contract that none serves is answered with 404. */
  readonly endpoints: Endpoints;
  /** Endpoints that take no API key: what they are sent is signed or sealed. */
  readonly unkeyed: readonly UnkeyedRoute[];
  readonly recorder: RequestRecorder;
  /** The answer of /readyz. */
  readonly readiness: () => Promise<{ readonly status: 200 | 503; readonly body: string }>;
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
interface Served {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly served: Descriptor | StreamDescriptor;
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
      ...(await admitted(c, parts, target, record, headers)),
      params: c.req.param() as Record<string, string>,
      query: checkedQuery(c.req, endpoint),
      run: runOf(c.req, endpoint),
      requestId,
      trace,
    };
    return 'handle' in served
      ? await runHandler(c, parts.platform, { ...target, served }, request, headers, record, prepared)
      : startStream(c, parts, endpoint, served.stream, request, headers);
  } catch (error) {
    const known = toServiceError(error, parts.platform.log, requestId);
    record.refused = { workspaceId: c.req.header(HEADERS.workspace), error: known };
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
