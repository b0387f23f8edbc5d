import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../kit/clock.ts';
import { discardRest } from '../../service/http/body.ts';
import type { Log } from '../../service/platform/log.ts';
import type { Assets } from './assets.ts';
import type { Backend } from './backend.ts';
import { bodyOf } from './backend.ts';
import { checkedTarget, isPage, type Target } from './guard.ts';
import { closeServer, listenOnLoopback } from './listener.ts';
import { calledOperation } from './operations.ts';
import { type Answer, forward, json } from './proxy.ts';
import { Refusal } from './refusal.ts';
import { Sessions } from './sessions.ts';

/** Answers an endpoint of the console itself, below `/console`; undefined for an address that it does not have. */
export type OwnEndpoints = (request: {
  readonly target: Target;
  /** The parsed body; undefined without one. */
  readonly body: unknown;
}) => Promise<unknown | undefined>;

/** What the listener serves. */
export interface ConsoleParts {
  readonly backend: Backend;
  readonly own: OwnEndpoints;
  readonly assets: Assets;
  /** True if the page may change something. */
  readonly write: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Answers another `svc console` that asks for a code (handover.ts); undefined where none is given. */
  readonly handOver?: (body: unknown, sessions: Sessions) => unknown;
}

/** The listener of a console. */
export interface ConsoleServer {
  readonly port: number;
  readonly sessions: Sessions;
  /** The address of the page, with a code. */
  url(code: string): string;
  close(): Promise<void>;
}

/** Headers of every answer: the page loads only its own files, sends only to its own address, and is not stored. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Interval of comments on a silent stream, by which both sides notice a dead connection. */
const KEEP_ALIVE_MS = 15_000;
/** Bytes of the body of an endpoint of the console itself. */
const MAX_OWN_BODY = 64 * 1024;

/**
 * Serves the page and its way to the service, on 127.0.0.1 and ::1 only. `port` 0 selects a free one. Rejects with the
 * listen error.
 */
export async function serveConsole(parts: ConsoleParts, port: number): Promise<ConsoleServer> {
  const sessions = new Sessions(parts.clock);
  const closing = new AbortController();
  let bound = port;
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void answer(request, response, parts, sessions, bound, closing.signal);
  const servers = await listenOnLoopback(onRequest, HEADERS, port);
  bound = servers.port;
  return {
    port: bound,
    sessions,
    url: (code) => `http://127.0.0.1:${bound}/#code=${code}`,
    close: async () => {
      closing.abort();
      sessions.close();
      await Promise.all(servers.list.map(closeServer));
    },
  };
}

/** Answers one request. Never rejects. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  parts: ConsoleParts,
  sessions: Sessions,
  port: number,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closing]);
  try {
    const target = checkedTarget(request, port);
    const asset = assetOf(target, parts.assets);
    if (asset) {
      await discardRest(request);
      response
        .writeHead(200, { ...HEADERS, 'content-type': asset.type, 'content-length': asset.body.length })
        .end(asset.body);
      return;
    }
    await send(response, await data(request, response, target, parts, sessions, signal), signal);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : unexpected(error, parts.log, signal);
    if (response.headersSent) return void response.destroy();
    await discardRest(request);
    const text = JSON.stringify(refusal.body());
    const allow = refusal.status === 405 ? { allow: 'GET, POST, PUT, PATCH, DELETE' } : {};
    response
      .writeHead(refusal.status, {
        ...HEADERS,
        ...allow,
        'content-type': 'application/json',
        connection: 'close',
      })
      .end(text);
  }
}

function unexpected(error: unknown, log: Log, signal: AbortSignal): Refusal {
  if (!signal.aborted)
    log('error', 'the console failed to answer', {
      reason: error instanceof Error ? error.stack : String(error),
    });
  return new Refusal(500, 'internal', 'The console failed.');
}

/** The views of the page: their addresses answer with the page itself. */
const VIEWS =
  /^(overview|live|users|decisions|contents|messages|notifications|webhooks|limits|imports|faults|service|catalog)$/;

function assetOf({ method, segments }: Target, { page, files }: Assets) {
  const [first, name, ...rest] = segments;
  if (method !== 'GET') return undefined;
  if (first === 'assets') {
    const file = name !== undefined && rest.length === 0 ? files.get(name) : undefined;
    if (!file) throw notFound();
    return file;
  }
  if (!isPage(segments)) return undefined;
  if (first !== undefined && !VIEWS.test(first)) throw notFound();
  if (!page) throw new Refusal(503, 'not_built', 'The page was not built: npm run build');
  return page;
}

const notFound = () => new Refusal(404, 'not_found', 'There is nothing at this address.');

/** Answers what is not the page: the exchange of a code, and with a token the console's own endpoints and the service's. */
async function data(
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  parts: ConsoleParts,
  sessions: Sessions,
  signal: AbortSignal,
): Promise<Answer> {
  const { method, segments } = target;
  checkBodyType(request);
  const at = (name: string) => method === 'POST' && isDeepStrictEqual(segments, ['console', name]);
  if (at('session')) return exchanged(await ownBody(request), sessions);
  if (at('codes') && parts.handOver) return json(200, parts.handOver(await ownBody(request), sessions));
  const token = request.headers['x-console-token'];
  if (typeof token !== 'string' || !sessions.holds(token))
    throw new Refusal(401, 'no_session', 'The session has ended: run `svc console` for a new address.');
  if (segments[0] === 'api') {
    const called = calledOperation(target, parts.write);
    const incoming = called.fields ? await withFields(request, called.fields) : request;
    return forward(parts.backend, called, { incoming, outgoing: response, signal });
  }
  const body = method === 'GET' ? undefined : await ownBody(request);
  const answered = segments[0] === 'console' ? await parts.own({ target, body }) : undefined;
  if (answered === undefined) throw notFound();
  return json(200, answered);
}

/** Forms and simple requests of other pages have other types (Fetch Standard: what is sent without a preflight request). */
function checkBodyType({ headers }: IncomingMessage): void {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'unsupported_media_type', 'The body must be application/json.');
}

async function ownBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await bodyOf(request, MAX_OWN_BODY);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, 'invalid_request', 'The body is not JSON.');
  }
}

/** Reads the body of a request, which may have these fields alone, and returns the request with it. Throws Refusal. */
async function withFields(request: IncomingMessage, fields: readonly string[]): Promise<IncomingMessage> {
  const body = (await ownBody(request)) ?? {};
  const others = Object.keys(body).filter((name) => !fields.includes(name));
  if (others.length > 0)
    throw new Refusal(403, 'not_allowed', `The console changes only these fields: ${fields.join(', ')}.`);
  const { headers, socket } = request;
  const read = Readable.from([Buffer.from(JSON.stringify(body))]);
  return Object.assign(read, { headers, socket, complete: true }) as unknown as IncomingMessage;
}

function exchanged(body: unknown, sessions: Sessions): Answer {
  const code = (body as { code?: unknown } | null | undefined)?.code;
  if (typeof code !== 'string') throw new Refusal(400, 'invalid_request', 'The body holds no code.');
  const result = sessions.exchange(code);
  if (result === undefined)
    throw new Refusal(
      401,
      'wrong_code',
      'The code was used, is too old, or is not one: run `svc console` again.',
    );
  return json(200, result);
}

async function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(status, { ...HEADERS, ...headers });
  if (typeof body === 'string') return void response.end(body);
  response.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  }, KEEP_ALIVE_MS);
  try {
    for await (const text of body) {
      if (signal.aborted) break;
      if (!response.write(text)) await drained(response, signal);
    }
    response.end();
  } finally {
    clearInterval(keepAlive);
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
