/**
 * The local HTTP receiver of deliveries: verifies raw bytes in constant time, reports and forwards them.
 * Answers 200, 400, 401, 405 and 413 (docs/commands.md, "svc webhooks listen"), 503 while it stops, and the status of the
 * target where it forwards.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { HEADERS } from '../../contract/headers.ts';
import { isHostHeader } from '../../kit/http/host-header.ts';
import { Deduplicator } from './deduplicator.ts';
import { type Delivery, readBody, textField } from './delivery.ts';
import { DiagnosisQueue } from './diagnosis-queue.ts';
import type { Forwarded, ForwardResult } from './forwarder.ts';
import type { Diagnosis } from './signature-diagnosis/diagnose.ts';
import { headerOf, type NamedSecret, type RejectReason, verifySignature } from './verify-signature.ts';

/** Maximum size of a body in bytes. */
const MAX_DELIVERY_BYTES = 1024 * 1024;
/** Bytes of an oversized body that are read and discarded, so that the sender can read the answer. */
const DRAIN_BYTES = 16 * 1024 * 1024;
const STOP_DEADLINE_MS = 2000;
const SWEEP_MS = 20;

export interface Verified {
  readonly type: 'event';
  readonly delivery: Delivery;
  readonly duplicate: boolean;
  readonly forwarded: Forwarded | undefined;
}

export interface Rejected {
  readonly type: 'rejected';
  /** Unix ms. */
  readonly receivedAt: number;
  readonly method: string;
  readonly reason: RejectReason;
  /** Undefined where there is no signature to diagnose: another method, or an oversized body. */
  readonly diagnosis: Diagnosis | undefined;
}

export type Report = Verified | Rejected;

export interface ReceiverOptions {
  /** Called for each delivery, because a registration may change the secrets while the receiver runs. */
  readonly secrets: () => readonly NamedSecret[];
  /** Secrets of other profiles, used only for the diagnosis. */
  readonly others: readonly NamedSecret[];
  readonly now: () => number;
  readonly onReport: (report: Report) => void;
  readonly forward?: (delivery: Delivery) => Promise<ForwardResult | undefined>;
  /** Recognizes the listener's own probe, which is answered but not reported. */
  readonly isOwnProbe?: (delivery: Delivery) => boolean;
  /** Kinds to report and forward; others are answered with 200 and ignored. Undefined means all. */
  readonly kinds?: ReadonlySet<string>;
  /** Number of verified deliveries after which `finished` resolves and further ones get 503. */
  readonly count?: number;
}

export class Receiver {
  /** Resolves once `count` verified deliveries are reported. */
  readonly finished: Promise<void>;
  readonly #options: ReceiverOptions;
  readonly #server: http.Server;
  readonly #seen = new Deduplicator();
  readonly #diagnoses: DiagnosisQueue;
  #finish: () => void = () => {};
  #accepted = 0;
  #reported = 0;
  #stopping = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#diagnoses = new DiagnosisQueue(options.now);
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#server = http.createServer(
      { requestTimeout: 60_000, keepAliveTimeout: 10_000 },
      (request, response) => this.#receive(request, response),
    );
  }

  /** Starts to listen and returns the address. Port 0 selects a free port. Rejects with the error of Node, such as `EADDRINUSE`. */
  async listen(port: number, host: string): Promise<URL> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const { address, family, port: bound } = this.#server.address() as AddressInfo;
    const literal = family === 'IPv6' ? `[${address}]` : address;
    return new URL(`http://${literal}:${bound}/`);
  }

  /** Stops accepting, waits up to 2 s for requests in flight and up to 2 s for diagnoses, and closes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // A keep-alive connection becomes idle after its answer, but there is no event for it.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS);
    const late = setTimeout(() => this.#server.closeAllConnections(), STOP_DEADLINE_MS);
    this.#server.closeIdleConnections();
    await closed;
    clearInterval(sweep);
    clearTimeout(late);
    await this.#diagnoses.stop(STOP_DEADLINE_MS);
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    request.on('error', () => {}); // the sender disconnected
    const receivedAt = this.#options.now();
    if (!isHostHeader(request.headers.host ?? '')) {
      request.resume();
      answer(response, 400, { error: 'invalid_host' });
      this.#reject(request, receivedAt, 'invalid_host', undefined);
      return;
    }
    if (request.method !== 'POST') {
      request.resume();
      answer(response, 405, { error: 'method_not_allowed' }, { allow: 'POST' });
      this.#reject(request, receivedAt, 'method_not_allowed', undefined);
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let refused = false;
    const refuse = () => {
      refused = true;
      chunks.length = 0;
      answer(response, 413, { error: 'payload_too_large' });
      this.#reject(request, receivedAt, 'payload_too_large', undefined);
    };
    if (Number(request.headers['content-length']) > MAX_DELIVERY_BYTES) refuse();
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (refused) {
        if (size > DRAIN_BYTES) request.destroy();
      } else if (size > MAX_DELIVERY_BYTES) refuse();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      if (refused) return;
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      void this.#verify(request, response, receivedAt, body);
    });
  }

  async #verify(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    receivedAt: number,
    body: Buffer,
  ): Promise<void> {
    const { headers, rawHeaders } = request;
    const { count = Number.POSITIVE_INFINITY, kinds, others } = this.#options;
    const secrets = this.#options.secrets();
    const verdict = verifySignature(headers, body, secrets);
    if (!verdict.verified) {
      answer(response, 401, { error: 'invalid_signature' });
      this.#diagnoses.diagnose({ headers, body, secrets, others }, (diagnosis) =>
        this.#reject(request, receivedAt, verdict.reason, diagnosis),
      );
      return;
    }
    const delivery: Delivery = { receivedAt, headers, rawHeaders, body, ...readBody(body) };
    if (this.#options.isOwnProbe?.(delivery) || (kinds && !(delivery.kind && kinds.has(delivery.kind)))) {
      received(response);
      return;
    }
    if (this.#stopping || this.#accepted >= count) {
      answer(response, 503, { error: 'stopping' }, { 'retry-after': '5' });
      return;
    }
    this.#accepted++;
    const duplicate = this.#seen.check({
      webhookId: headerOf(headers, HEADERS.webhookId),
      deliveryId: textField(delivery.json, 'deliveryId'),
      signature: headerOf(headers, HEADERS.signature) as string,
    });
    const result = await this.#options.forward?.(delivery);
    if (result) relay(response, result);
    else received(response);
    this.#options.onReport({ type: 'event', delivery, duplicate, forwarded: result?.forwarded });
    if (++this.#reported >= count) this.#finish();
  }

  #reject(
    request: http.IncomingMessage,
    receivedAt: number,
    reason: RejectReason,
    diagnosis: Diagnosis | undefined,
  ): void {
    this.#options.onReport({
      type: 'rejected',
      receivedAt,
      method: request.method as string,
      reason,
      diagnosis,
    });
  }
}

const RECEIVED = '{"received": true}';

function received(response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': RECEIVED.length });
  response.end(RECEIVED);
}

function answer(
  response: http.ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Relays the answer of the target to the sender: status, body, Content-Type and Retry-After. */
function relay(response: http.ServerResponse, { forwarded, answer: target }: ForwardResult): void {
  if (target === undefined) {
    answer(response, forwarded.status, { error: 'target_unavailable', message: forwarded.error });
    return;
  }
  const kept: Record<string, string> = {};
  for (const name of ['content-type', 'retry-after'] as const) {
    const value = target.headers[name];
    if (value !== undefined) kept[name] = value;
  }
  response.writeHead(target.status, kept);
  response.end(target.body);
}
