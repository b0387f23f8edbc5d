import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kit/clock.ts';

/** How long a code is valid. */
export const CODE_MS = 5 * 60_000;
/** Codes that wait at the same time; a further one ends the oldest. */
const MAX_CODES = 8;
/** Pages that are open at the same time; a further one ends the one that was silent longest. */
const MAX_SESSIONS = 16;
/** A session ends after this time without a request. */
const SESSION_MS = 12 * 3_600_000;

interface Code {
  readonly hash: Buffer;
  readonly expiresAt: number;
  readonly onEnd: () => void;
}

interface Session {
  readonly hash: Buffer;
  usedAt: number;
}

/** Codes that are valid once, and the tokens that they are exchanged for. Only their hashes are stored. */
export class Sessions {
  readonly #now: Clock['now'];
  #codes: Code[] = [];
  #sessions: Session[] = [];

  constructor({ now }: Pick<Clock, 'now'>) {
    this.#now = now;
  }

  /** Creates a code of 128 random bits, valid once within five minutes. Calls `onEnd` when it was used or has expired. */
  newCode(onEnd: () => void = () => {}): string {
    this.#expire();
    while (this.#codes.length >= MAX_CODES) this.#codes.shift()!.onEnd();
    const code = randomBytes(16).toString('base64url');
    this.#codes.push({ hash: hashOf(code), expiresAt: this.#now() + CODE_MS, onEnd });
    // Ends a code that nobody uses while nothing else happens.
    setTimeout(() => this.#expire(), CODE_MS + 1).unref();
    return code;
  }

  /**
   * Exchanges a code for a token; undefined for one that is not valid. Wrong codes are not counted: 128 random bits
   * cannot be guessed in five minutes, and a count would let any local program lock the user out.
   */
  exchange(code: string): { readonly token: string } | undefined {
    this.#expire();
    const given = hashOf(code);
    // Every code is compared, so that the duration reveals nothing.
    const matching = this.#codes.filter(({ hash }) => timingSafeEqual(hash, given));
    if (matching.length === 0) return undefined;
    this.#codes = this.#codes.filter((one) => !matching.includes(one));
    for (const { onEnd } of matching) onEnd();
    const token = randomBytes(32).toString('base64url');
    this.#sessions.sort((a, b) => b.usedAt - a.usedAt);
    this.#sessions = this.#sessions.slice(0, MAX_SESSIONS - 1);
    this.#sessions.push({ hash: hashOf(token), usedAt: this.#now() });
    return { token };
  }

  /** Returns whether a token is that of a session. */
  holds(token: string): boolean {
    const oldest = this.#now() - SESSION_MS;
    this.#sessions = this.#sessions.filter(({ usedAt }) => usedAt > oldest);
    const given = hashOf(token);
    const matching = this.#sessions.filter(({ hash }) => timingSafeEqual(hash, given));
    for (const session of matching) session.usedAt = this.#now();
    return matching.length > 0;
  }

  /** Ends all codes. */
  close(): void {
    for (const { onEnd } of this.#codes.splice(0)) onEnd();
  }

  #expire(): void {
    const now = this.#now();
    for (const { onEnd, expiresAt } of this.#codes) if (expiresAt <= now) onEnd();
    this.#codes = this.#codes.filter(({ expiresAt }) => expiresAt > now);
  }
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
