import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The attacks; a hostile service answers every request with one of them. */
export const ATTACKS = {
  /** A success in which every text attacks the terminal. */
  texts: (request, response) => {
    const stream = request.url!.includes('/stream');
    response.writeHead(200, {
      ...EVIL_HEADERS,
      'content-type': stream ? 'text/event-stream' : 'application/json',
    });
    const body = JSON.stringify(answerOf(request));
    // Partly as escape sequences, partly as raw characters.
    response.end(stream ? `id: 1\ndata: ${body}\n\n` : body.replace(/\\u001b/g, '\\u001B'));
  },
  /** An error response in which every text attacks the terminal. */
  refusal: (_, response) => {
    response.writeHead(400, EVIL_HEADERS);
    response.end(
      JSON.stringify({
        error: EVIL,
        code: EVIL,
        requestId: EVIL,
        message: EVIL,
        details: [{ index: 0, field: EVIL, message: EVIL }],
      }),
    );
  },
  /** A header larger than a client should accept. */
  header: (_, response) => {
    response.writeHead(200, { 'x-large': 'x'.repeat(64 * 1024) });
    response.end('{}');
  },
  /** An endless body. */
  endless: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  },
  /** A success that is not JSON. */
  garbage: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"broken": ${EVIL}`);
  },
  /** An error response that is not JSON. */
  page: (_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end(`<html>${EVIL}</html>`);
  },
} as const satisfies Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

export type Attack = keyof typeof ATTACKS;

/** Escape sequences, OSC 52 (writes the clipboard), C1, bidirectional, zero-width and tag characters, a line break. */
export const EVIL =
  '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b]0;title\u009c\u009b31m\u202egnp\u2066\u200b\ufeff\u{e0041}\u0000\r\nevil';

const EVIL_HEADERS = { 'x-service-request-id': 'req\u009b31m', 'x-service-region': 'eu\u009b2J' };

/** The fields of the answers of all endpoints in one object. */
function answerOf({ url }: IncomingMessage): unknown {
  const one = {
    id: EVIL,
    userId: EVIL,
    hashId: EVIL,
    event: EVIL,
    timestamp: EVIL,
    properties: { [EVIL]: EVIL },
    url: EVIL,
    events: [EVIL],
    status: EVIL,
    createdAt: EVIL,
    disabledReason: EVIL,
    leaseUntil: EVIL,
    decisionId: EVIL,
    contentId: EVIL,
    title: EVIL,
    body: EVIL,
    format: EVIL,
    notificationId: EVIL,
    templateId: EVIL,
    channel: EVIL,
    priority: EVIL,
    history: [{ status: EVIL, at: EVIL }],
    deliveryId: EVIL,
    type: EVIL,
    occurredAt: EVIL,
    nextAttemptAt: EVIL,
    attempts: [{ at: EVIL, status: 200, error: EVIL, durationMs: 1 }],
    action: { type: EVIL, contentId: EVIL, ranking: 0.5, reason: EVIL },
    alternatives: [{ type: EVIL, contentId: EVIL, ranking: 0.1 }],
    requestId: EVIL,
    accepted: 1,
  };
  const many = url!.includes('/deliveries') || url!.includes('/webhooks') || url!.includes('/messages');
  return {
    ...one,
    ...(many ? { webhooks: [one], deliveries: [one], messages: [one] } : {}),
    users: [one],
    decisions: [one],
  };
}

/** Starts a service that attacks its clients. */
export async function startHostile(attack: Attack | { redirectTo: string }) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (typeof attack === 'string') return ATTACKS[attack](request, response);
      response.writeHead(307, { location: attack.redirectTo + request.url });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: {
      SVC_BASE_URL: url,
      SVC_WORKSPACE: 'ws_1',
      SVC_API_KEY: 'sk_test_canary_0123456789',
      SVC_REGION: 'eu',
    },
  };
}
