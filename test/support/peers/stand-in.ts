import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';

/**
 * A stand-in for the remote service, written from the specification (not from the contract). It rejects requests that
 * the specification does not allow: a wrong header, 1,001 events, an unknown field, type or path. A test fails on any
 * rejected request unless it removes the errors with `takeFaults()`.
 */
export interface StandIn {
  readonly url: string;
  readonly env: { SVC_BASE_URL: string; SVC_WORKSPACE: string; SVC_API_KEY: string };
  readonly requests: SeenRequest[];
  /** Returns and removes the errors so far, for tests that expect them. */
  takeFaults(): string[];
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: Buffer;
  readonly body: unknown;
}

interface StandInAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface StandInOptions {
  /** Answers a valid request; undefined selects the default answer. */
  answer?: (request: SeenRequest, count: number) => StandInAnswer | 'hang' | 'cut' | undefined;
  /** Adds the rate-limit headers of the specification to every success. */
  limits?: boolean;
}

const KEY = 'sk_stand_in_0123456789abcdef';
const WORKSPACE = 'ws_stand_in';

export async function startStandIn({ answer, limits = true }: StandInOptions = {}): Promise<StandIn> {
  const requests: SeenRequest[] = [];
  let faults: string[] = [];
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const raw = message.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const request: SeenRequest = {
      method: message.method!,
      path: message.url!,
      headers: message.headers,
      raw,
      body: parse(raw),
    };
    requests.push(request);
    const fault = check(request);
    if (fault) {
      faults.push(`${request.method} ${request.path}: ${fault}`);
      reply(response, {
        status: 400,
        body: {
          error: 'invalid_request',
          code: 'INVALID_REQUEST',
          requestId: `req_${requests.length}`,
          message: fault,
        },
      });
      return;
    }
    const chosen = answer?.(request, requests.length) ?? { status: 202, body: {} };
    if (chosen === 'hang') return;
    if (chosen === 'cut') {
      message.socket.destroy();
      return;
    }
    const headers: Record<string, string> =
      limits && chosen.status < 300
        ? {
            'X-Service-RateLimit-Limit': '600',
            'X-Service-RateLimit-Remaining': '599',
            'X-Service-RateLimit-Reset': '60',
          }
        : {};
    reply(response, { ...chosen, headers: { ...headers, ...chosen.headers } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    expect(faults, 'requests that the specification does not allow').toEqual([]);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: { SVC_BASE_URL: url, SVC_WORKSPACE: WORKSPACE, SVC_API_KEY: KEY },
    requests,
    takeFaults() {
      const taken = faults;
      faults = [];
      return taken;
    },
  };
}

function reply(response: ServerResponse, { status, headers = {}, body }: StandInAnswer): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    return undefined;
  }
}

/** Why the specification does not allow a request; undefined if it does. */
function check({ method, path, headers, body }: SeenRequest): string | undefined {
  if (headers.authorization !== `Bearer ${KEY}`) return 'Authorization is not Bearer and the key';
  if (headers['x-service-workspace'] !== WORKSPACE) return 'X-Service-Workspace is missing or wrong';
  if (headers['content-type'] !== 'application/json') return 'Content-Type is not application/json';
  const shape = SHAPES[`${method} ${path}`];
  if (!shape) return 'the specification has no such operation';
  return shape(body, 'body');
}

type Shape = (value: unknown, at: string) => string | undefined;

const string: Shape = (value, at) => (typeof value === 'string' ? undefined : `${at} is not a string`);
const integer: Shape = (value, at) => (Number.isInteger(value) ? undefined : `${at} is not an integer`);
const scalar: Shape = (value, at) =>
  ['string', 'number', 'boolean'].includes(typeof value)
    ? undefined
    : `${at} is not a string, number or boolean`;
const utc: Shape = (value, at) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))
    ? undefined
    : `${at} is not a UTC date-time`;
const https: Shape = (value, at) =>
  typeof value === 'string' && value.startsWith('https://') ? undefined : `${at} is not an HTTPS URL`;

const list =
  (of: Shape, most: number): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return `${at} is not an array`;
    if (value.length > most) return `${at} holds ${value.length}, more than ${most}`;
    return first(value.map((element, i) => of(element, `${at}[${i}]`)));
  };
const map =
  (of: Shape): Shape =>
  (value, at) =>
    isObject(value)
      ? first(Object.entries(value).map(([key, element]) => of(element, `${at}.${key}`)))
      : `${at} is not an object`;
const object =
  (required: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape =>
  (value, at) => {
    if (!isObject(value)) return `${at} is not an object`;
    const unknown = Object.keys(value).find((key) => !(key in required) && !(key in optional));
    if (unknown !== undefined) return `${at}.${unknown} is not in the specification`;
    return (
      first(Object.entries(required).map(([key, shape]) => shape(value[key], `${at}.${key}`))) ??
      first(
        Object.entries(optional).map(([key, shape]) =>
          key in value ? shape(value[key], `${at}.${key}`) : undefined,
        ),
      )
    );
  };

const SHAPES: Record<string, Shape> = {
  'POST /v1/events': object({
    events: list(
      object({ userId: string, event: string, timestamp: utc }, { properties: map(scalar) }),
      1000,
    ),
  }),
  // The specification shows no payload for users.
  'POST /v1/users': (value, at) => (isObject(value) ? undefined : `${at} is not an object`),
  'POST /v1/decisioning/decide': object(
    { hashId: string },
    {
      context: object({}, { channel: string, surface: string, locale: string }),
      guardrails: object(
        {},
        { excludeCategories: list(string, Number.POSITIVE_INFINITY), maxDailyContacts: integer },
      ),
    },
  ),
  'POST /v1/inform/trigger': object(
    { hashId: string, templateId: string, channel: string },
    { variables: map(string), priority: string },
  ),
  'POST /v1/webhooks': object({
    url: https,
    events: list(string, Number.POSITIVE_INFINITY),
    signingSecret: string,
  }),
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first(faults: Array<string | undefined>): string | undefined {
  return faults.find((fault) => fault !== undefined);
}
