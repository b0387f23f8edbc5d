import type { AppOptions } from '../../types/app.d.mts';

/** Whom a token speaks for, and until when, in seconds of the service's clock. */
interface Claims {
  readonly token: string;
  readonly end: number;
  readonly hashId: string;
  readonly userId: string | undefined;
}

/** An answer: its status (0 if there was none), its body, and how long to wait before the next request, in ms. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly waitMs: number;
}

/** A token is renewed so long before its end, or at nine tenths of its life, in seconds. */
const RENEW_S = 60;
/** A clock that differs less from the service's is right: its `Date` has whole seconds. */
const RIGHT_MS = 2000;
const TIMEOUT_MS = 15_000;
const NO_ANSWER: Answer = { status: 0, body: undefined, waitMs: 0 };

/** Sends requests for the user who is signed in: with a token that is valid, and by the clock of the service. */
export class Connection {
  readonly #options: AppOptions;
  readonly #base: string;
  #claims: Claims | undefined;
  #renewAt = 0;
  #asking: Promise<Claims | undefined> | undefined;
  #closing: AbortController | undefined;
  /** What the clock of the service is ahead of this one, in ms; undefined before its first answer. */
  offset: number | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  open(): void {
    this.#closing = new AbortController();
  }

  close(): void {
    this.#closing?.abort();
    this.#closing = undefined;
    this.#claims = undefined;
  }

  get isOpen(): boolean {
    return this.#closing !== undefined;
  }

  /** The time of the service, as far as it is known, Unix ms. */
  now(): number {
    return Date.now() + (this.offset ?? 0);
  }

  /** The user of the last token, at once. */
  get known(): Claims | undefined {
    return this.#claims && this.now() < this.#claims.end * 1000 ? this.#claims : undefined;
  }

  /** The user, with a token that is valid for a while; undefined where nobody is signed in. */
  async user(): Promise<Claims | undefined> {
    if (this.known && this.now() < this.#renewAt) return this.#claims;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<Claims | undefined> {
    try {
      const token = await this.#options.user();
      this.#claims = token ? claimsOf(token, this.#options.userId) : undefined;
    } catch {
      // Your server cannot be reached: the token that is there may still be valid.
      return this.known;
    }
    if (!this.#claims) return undefined;
    const left = this.#claims.end * 1000 - this.now();
    this.#renewAt = this.now() + Math.max(left - RENEW_S * 1000, left * 0.9);
    return this.#claims;
  }

  /**
   * Sends a request for a user. Never rejects. A token that is refused is renewed once. With `keepalive` it is sent at once,
   * with the token that is there, and outlives the page.
   */
  async send(claims: Claims, path: string, body?: unknown, keepalive = false): Promise<Answer> {
    const answer = await this.#fetch(claims, path, body, keepalive);
    if (answer.status === 401 && this.#claims?.token === claims.token) this.#claims = undefined;
    if (answer.status !== 401 || keepalive) return answer;
    const renewed = await this.user();
    return renewed && renewed.token !== claims.token && renewed.hashId === claims.hashId
      ? this.#fetch(renewed, path, body, keepalive)
      : answer;
  }

  async #fetch({ token }: Claims, path: string, body: unknown, keepalive: boolean): Promise<Answer> {
    const { key, workspace } = this.#options;
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const abort = new AbortController();
    const end = () => abort.abort();
    deadline.addEventListener('abort', end);
    const closing = this.#closing?.signal;
    closing?.addEventListener('abort', end);
    try {
      const answer = await fetch(this.#base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'x-service-workspace': workspace,
          'x-service-user-token': token,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        credentials: 'omit',
        cache: 'no-store',
        keepalive,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(keepalive ? {} : { signal: abort.signal }),
      });
      const date = Date.parse(answer.headers.get('date') ?? '');
      if (date > 0) {
        const ahead = date - Date.now();
        this.offset = Math.abs(ahead) < RIGHT_MS ? 0 : ahead;
      }
      const waitMs = 1000 * (Number(answer.headers.get('retry-after')) || 0);
      return { status: answer.status, waitMs, body: await answer.json().catch(() => undefined) };
    } catch {
      return NO_ANSWER;
    } finally {
      deadline.removeEventListener('abort', end);
      closing?.removeEventListener('abort', end);
    }
  }
}

/** Reads what a token says in clear; the service checks its signature. Undefined for a text that is none. */
function claimsOf(token: string, given: string | undefined): Claims | undefined {
  try {
    const text = atob(token.slice(3, token.indexOf('.')).replace(/-/g, '+').replace(/_/g, '/'));
    const claims = new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
    const [, end, hashId = '', userId] = /^(\d+)\.([^\0]+)(?:\0(.+))?$/s.exec(claims) ?? [];
    return end === undefined ? undefined : { token, end: Number(end), hashId, userId: userId ?? given };
  } catch {
    return undefined;
  }
}

/** How long to wait after `failures` in a row, in ms: doubled from a second up to 30, or what the service asks for. */
export const backoff = (failures: number, waitMs: number): number =>
  Math.max(waitMs, Math.min(30_000, 500 * 2 ** failures)) + Math.random() * 500;
