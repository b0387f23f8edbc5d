import { type Answer, type Deliverer, endToEnd, type NoAnswer } from './deliverer.ts';
import type { Delivery } from './delivery.ts';
import { type Route, routeFor } from './routes.ts';

/** How passing on went; the `forwarded` member of an event line. `status` is what the sender is answered. */
export interface Forwarded {
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  /** Why the target gave no answer. */
  readonly error?: string;
}

export interface ForwardResult {
  readonly forwarded: Forwarded;
  /** The target's answer, where it gave one. */
  readonly answer: Answer | undefined;
}

/** What is told of targets. */
export interface ForwardEvents {
  /** One went down, or is back. */
  notice(text: string): void;
  /** One refuses a delivery that verified here, with 401 or 403. Told once of each. */
  refused(url: URL, status: number): void;
}

/** Passes deliveries on by their kind: the same bytes, the same headers, the signature among them. */
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

  /** Undefined where no route takes this kind. A target that does not answer counts as 502, a slow one as 504. */
  async forward(delivery: Delivery): Promise<ForwardResult | undefined> {
    const route = routeFor(this.#routes, delivery.kind);
    if (route === undefined) return undefined;
    const result = await this.#deliverer.post(route.url, delivery.body, endToEnd(delivery.rawHeaders));
    const url = route.url.href;
    const { durationMs } = result;
    this.#announce(route.url, result);
    if (result.status !== null) {
      return { forwarded: { url, status: result.status, durationMs }, answer: result };
    }
    const status = result.code === 'TIMEOUT' ? 504 : 502;
    return { forwarded: { url, status, durationMs, error: result.error }, answer: undefined };
  }

  #announce(target: URL, result: Answer | NoAnswer): void {
    const url = target.href;
    if (result.status !== null) {
      if (this.#down.delete(url)) this.#on.notice(`${url} answers again.`);
      const isClientError = result.status === 401 || result.status === 403;
      if (isClientError && !this.#refusing.has(url)) {
        this.#refusing.add(url);
        this.#on.refused(target, result.status);
      }
    } else if (!this.#down.has(url)) {
      this.#down.add(url);
      this.#on.notice(
        `${url} does not answer (${result.error}). The sender gets ${
          result.code === 'TIMEOUT' ? 504 : 502
        } until it does; start the handler, or change --forward-to.`,
      );
    }
  }
}
