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
  /** The tag of the body; undefined for an answer without one. */
  readonly tag: string | undefined;
}

/** How a request is sent. */
interface Sending {
  readonly body?: unknown;
  /** At once, with the token that is there, so that it outlives the page. */
  readonly keepalive?: boolean;
  /** Of the answer that is there: if it is still the same, the answer is 304 without a body. */
  readonly tag?: string | undefined;
}

/** A token is renewed so long before its end, or at nine tenths of its life, in seconds. */
const RENEW_S = 60;
/** A clock that differs less from the service's is right: its `Date` has whole seconds. */
const RIGHT_MS = 2000;
const TIMEOUT_MS = 15_000;
/** A service that asks for more is asked again nevertheless after this long: timers cannot wait for ever. */
const MAX_WAIT_MS = 24 * 3_600_000;
const NO_ANSWER: Answer = { status: 0, body: undefined, waitMs: 0, tag: undefined };

/** Sends requests for the user who is signed in: with a token that is valid, and by the clock of the service. */
export class Connection {
  readonly #options: AppOptions;
  readonly #base: string;
  #claims: Claims | undefined;
  #renewAt = 0;
  #asking: Promise<Claims | undefined> | undefined;
  #askingForTime: Promise<void> | undefined;
  #closing: AbortController | undefined;
  /** What the clock of the service was ahead of this one at its last answer, in ms, and how this one ran then (`driftNow`). */
  #measured: { readonly offset: number; readonly drift: number } | undefined;

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
    this.#asking = undefined;
  }

  get isOpen(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * What the clock of the service is ahead of this one, in ms; undefined before its first answer, and after this clock was
   * changed or the device slept, until the next one.
   */
  get offset(): number | undefined {
    const { offset, drift } = this.#measured ?? { offset: undefined, drift: 0 };
    return Math.abs(driftNow() - drift) < RIGHT_MS ? offset : undefined;
  }

  /** The time of the service, as far as it is known, Unix ms. */
  now(): number {
    return Date.now() + (this.offset ?? this.#measured?.offset ?? 0);
  }

  /** The user of the last token, at once. */
  get known(): Claims | undefined {
    return this.#claims && this.now() < this.#claims.end * 1000 ? this.#claims : undefined;
  }

  /** The user, with a token that is valid for a while; undefined where nobody is signed in. */
  async user(): Promise<Claims | undefined> {
    if (this.known && this.now() < this.#renewAt) return this.#claims;
    if (this.#asking) return this.#asking;
    const asking = this.#ask().finally(() => {
      if (this.#asking === asking) this.#asking = undefined;
    });
    this.#asking = asking;
    return asking;
  }

  async #ask(): Promise<Claims | undefined> {
    const session = this.#closing;
    let claims: Claims | undefined;
    try {
      const token = await this.#options.user();
      claims = token ? claimsOf(token, this.#options.userId) : undefined;
    } catch {
      // Your server cannot be reached: the token that is there may still be valid.
      return this.known;
    }
    // The app was stopped meanwhile: another user may be signed in next.
    if (session !== this.#closing) return claims;
    this.#claims = claims;
    if (!claims) return undefined;
    const left = claims.end * 1000 - this.now();
    this.#renewAt = this.now() + Math.max(left - RENEW_S * 1000, left * 0.9);
    return this.#claims;
  }

  /** Sends a request for a user. Never rejects. A token that is refused is renewed once. */
  async send(claims: Claims, path: string, sending: Sending = {}): Promise<Answer> {
    const answer = await this.#fetch(claims, path, sending);
    if (answer.status === 401 && this.#claims?.token === claims.token) this.#claims = undefined;
    if (answer.status !== 401 || sending.keepalive) return answer;
    const renewed = await this.user();
    return renewed && renewed.token !== claims.token && renewed.hashId === claims.hashId
      ? this.#fetch(renewed, path, sending)
      : answer;
  }

  /** Learns the time of the service, if it tells it. */
  askForTime(): Promise<void> {
    // Not from a cache on the way.
    const url = `${this.#base}/v1/app.js?${Date.now()}`;
    this.#askingForTime ??= fetch(url, {
      method: 'HEAD',
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then(
        (answer) => this.#learnTime(answer),
        () => undefined,
      )
      .finally(() => {
        this.#askingForTime = undefined;
      });
    return this.#askingForTime;
  }

  #learnTime({ headers }: Response): void {
    const ahead = Date.parse(headers.get('date') ?? '') - Date.now();
    if (Number.isNaN(ahead)) return;
    this.#measured = { offset: Math.abs(ahead) < RIGHT_MS ? 0 : ahead, drift: driftNow() };
  }

  async #fetch({ token }: Claims, path: string, { body, keepalive = false, tag }: Sending): Promise<Answer> {
    if (!this.isOpen) return NO_ANSWER;
    const { key, workspace } = this.#options;
    const abort = new AbortController();
    const end = () => abort.abort();
    const deadline = setTimeout(end, TIMEOUT_MS);
    const closing = this.#closing?.signal;
    closing?.addEventListener('abort', end);
    // What outlives the page is not aborted, but waited for no longer.
    const ended = new Promise<never>((_, reject) => abort.signal.addEventListener('abort', reject));
    ended.catch(() => {});
    try {
      const request = fetch(this.#base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'x-service-workspace': workspace,
          'x-service-user-token': token,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(tag === undefined ? {} : { 'if-none-match': tag }),
        },
        credentials: 'omit',
        cache: 'no-store',
        keepalive,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(keepalive ? {} : { signal: abort.signal }),
      });
      const answer = await Promise.race([request, ended]);
      this.#learnTime(answer);
      const waitMs = Math.min(MAX_WAIT_MS, 1000 * (Number(answer.headers.get('retry-after')) || 0));
      return {
        status: answer.status,
        waitMs,
        tag: answer.headers.get('etag') ?? undefined,
        body: await Promise.race([answer.json().catch(() => undefined), ended]),
      };
    } catch {
      return NO_ANSWER;
    } finally {
      clearTimeout(deadline);
      closing?.removeEventListener('abort', end);
    }
  }
}

/** Stays the same while this clock runs, Unix ms. */
const driftNow = () => Date.now() - performance.now();

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
