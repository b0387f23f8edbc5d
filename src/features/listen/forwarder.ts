import { type Answer, type Deliverer, endToEnd, type NoAnswer } from './deliverer.ts';
import type { Delivery } from './delivery.ts';
import { type Route, routeFor } from './routes.ts';

/** Result of forwarding: the `forwarded` member of an event line. `status` is also sent to the sender. */
export interface Forwarded {
  readonly url: string;
  readonly status: number;
  /** Whether the target accepted the delivery, with a status of 200 to 299. */
  readonly ok: boolean;
  readonly durationMs: number;
  /** Why there is no answer from the target. */
  readonly error?: string;
}

export interface ForwardResult {
  readonly forwarded: Forwarded;
  /** The answer of the target; undefined where there is none. */
  readonly answer: Answer | undefined;
}

/** Events about the targets. */
export interface ForwardEvents {
  /** A target went down or is available again. */
  notice(text: string): void;
  /** A target refused a verified delivery with 401 or 403. Reported once for each target. */
  refused(url: URL, status: number): void;
}

/** Forwards deliveries by kind with the same bytes and headers, including the signature. */
export class Forwarder {
  readonly #routes: readonly Route[];
  readonly #deliverer: Deliverer;
  readonly #on: ForwardEvents;
  readonly #down = new Set<string>();
  readonly #refusing = new Set<string>();

  constructor(routes: readonly Route[], deliverer: Deliverer, on: ForwardEvents) {
    this.#routes = routes;
    this.#deliverer = deliverer;
    this.#on = on;
  }

  /** Returns undefined where no route matches the kind. A target that does not answer gives 502, a timeout 504. */
  async forward(delivery: Delivery): Promise<ForwardResult | undefined> {
    const route = routeFor(this.#routes, delivery.kind);
    if (route === undefined) return undefined;
    const result = await this.#deliverer.post(route.url, delivery.body, endToEnd(delivery.rawHeaders));
    const url = route.url.href;
    const { durationMs } = result;
    this.#announce(route.url, result);
    if (result.status !== null) {
      const { status } = result;
      const ok = status >= 200 && status <= 299;
      return { forwarded: { url, status, ok, durationMs }, answer: result };
    }
    const status = result.code === 'TIMEOUT' ? 504 : 502;
    return { forwarded: { url, status, ok: false, durationMs, error: result.error }, answer: undefined };
  }

  #announce(target: URL, result: Answer | NoAnswer): void {
    const url = target.href;
    if (result.status !== null) {
      if (this.#down.delete(url)) this.#on.notice(`${url} answers again`);
      const isClientError = result.status === 401 || result.status === 403;
      if (isClientError && !this.#refusing.has(url)) {
        this.#refusing.add(url);
        this.#on.refused(target, result.status);
      }
    } else if (!this.#down.has(url)) {
      this.#down.add(url);
      this.#on.notice(
        `${url} does not answer (${result.error}); the sender gets ${
          result.code === 'TIMEOUT' ? 504 : 502
        } until it does. Start the handler, or correct --forward-to.`,
      );
    }
  }
}
