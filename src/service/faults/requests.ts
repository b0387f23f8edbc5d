import type { HttpBindings } from '@hono/node-server';
import { ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { DEFAULT_FAULT_DELAY_MS } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import { newId } from '../../kit/id.ts';
import { discardRest } from '../http/body.ts';
import { AnswerSent, type Fetch } from '../http/server.ts';
import type { Log } from '../platform/log.ts';
import type { Note, Plan } from './plan.ts';
import type { RequestRule } from './schema.ts';

/** Is told of each request that a fault answers with an error, and whether it was executed. */
export type CountFault = (endpoint: EndpointName, status: number, executed: boolean) => void;

/** Injects the faults of a plan between the HTTP server and the service. */
export function faultyAnswers(
  serve: Fetch,
  plan: Plan<RequestRule>,
  clock: Clock,
  log: Log,
  note: Note,
  count: CountFault,
): Fetch {
  const endpoints = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => ({
    name,
    method: ENDPOINTS[name].method,
    path: new RegExp(`^${ENDPOINTS[name].path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return async (request, bindings) => {
    const { pathname } = new URL(request.url);
    const endpoint = endpoints.find(
      ({ method, path }) => method === request.method && path.test(pathname),
    )?.name;
    // Health checks and unknown paths get no faults.
    const rule = endpoint && plan.next((one) => one.endpoint === undefined || one.endpoint === endpoint);
    if (!rule) return serve(request, bindings);
    log('info', 'fault injected into a request', { endpoint, fault: rule.fault });
    const { fault, delayMs = DEFAULT_FAULT_DELAY_MS } = rule;
    note({ place: 'requests', fault, of: endpoint, ...(fault === 'slow-answer' && { delayMs }) });
    const response = await FAULTS[fault](rule, () => serve(request, bindings), bindings, clock);
    if (ANSWERING.has(fault)) count(endpoint, response.status, fault === 'fail-after-commit');
    return response;
  };
}

/** The faults that answer with an error themselves. */
const ANSWERING: ReadonlySet<RequestRule['fault']> = new Set(['refuse', 'fail', 'fail-after-commit']);

type Fault = (
  rule: RequestRule,
  serve: () => Response | Promise<Response>,
  bindings: HttpBindings,
  clock: Clock,
) => Response | Promise<Response>;

const FAULTS: Record<RequestRule['fault'], Fault> = {
  refuse: async ({ retryAfter = 1 }, _, { incoming }) => {
    await discardRest(incoming);
    return answer(new ServiceError('rate_limited'), 429, {
      [HEADERS.retryAfter]: String(retryAfter),
      [HEADERS.remaining]: '0',
    });
  },

  fail: async ({ status = 503, retryAfter }, _, { incoming }) => {
    await discardRest(incoming);
    return answer(
      new ServiceError('unavailable'),
      status,
      retryAfter === undefined ? {} : { [HEADERS.retryAfter]: String(retryAfter) },
    );
  },

  'fail-after-commit': async ({ status = 503 }, serve) => {
    await discard(await serve());
    return answer(new ServiceError('unavailable'), status, {});
  },

  'lose-answer': async (_, serve, { outgoing }) => {
    await discard(await serve());
    outgoing.destroy();
    throw new AnswerSent();
  },

  'slow-answer': async ({ delayMs = DEFAULT_FAULT_DELAY_MS }, serve, _, clock) => {
    const response = await serve();
    await clock.sleep(delayMs);
    return response;
  },

  'cut-answer': async (_, serve, { outgoing }) => {
    const response = await serve();
    const reader = response.body?.getReader();
    const { value = new Uint8Array() } = (await reader?.read()) ?? {};
    await reader?.cancel();
    outgoing.writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      'content-length': String(value.length),
    });
    // Close the connection only after the first half was written.
    await new Promise<void>((resolve) =>
      outgoing.write(value.subarray(0, value.length >> 1), () => resolve()),
    );
    outgoing.destroy();
    throw new AnswerSent();
  },
};

async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}

function answer(error: ServiceError, status: number, headers: Record<string, string>): Response {
  const requestId = newId('req');
  return new Response(JSON.stringify(error.body(requestId)), {
    status,
    headers: { 'content-type': 'application/json', [HEADERS.requestId]: requestId, ...headers },
  });
}
