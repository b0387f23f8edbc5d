import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUPS, type Group } from '../contract/limits.ts';
import { ensurePrivateDir } from '../kit/files/private-file.ts';
import type { RateAnswer } from './pacer/answer.ts';

/** The rate limit in the last response of a group. Times are in Unix ms. */
export interface ObservedLimit {
  readonly group: Group;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest counted request leaves the window; undefined if the service did not say. */
  readonly reset: number | undefined;
  readonly seenAt: number;
}

/** Limits apply per workspace of a service. */
export interface LimitScope {
  readonly baseUrl: string;
  readonly workspace: string;
}

/** Minimum time between two writes of a file, in ms: an import gets hundreds of responses per second. */
const WRITE_EVERY_MS = 1000;

/**
 * Stores the rate-limit headers of responses for `svc limits`, in one file per service, workspace and group.
 * Any number of processes may write: a file is replaced atomically by a rename. Errors are ignored, so that no command
 * fails because of them.
 */
export class ObservedLimits {
  readonly #folder: string;
  readonly #written = new Map<Group, number>();
  readonly #pending = new Map<Group, ObservedLimit>();

  constructor(dataDir: string, scope: LimitScope) {
    this.#folder = join(dataDir, 'limits', scopeName(scope));
  }

  /** Records a response that arrived at `now`. A response without limit and remaining is ignored. */
  note(group: Group, answer: RateAnswer, now: number): void {
    const { limit, remaining, resetIn } = answer;
    if (limit === undefined || remaining === undefined) return;
    const reset = resetIn === undefined ? undefined : now + resetIn;
    this.#pending.set(group, { group, limit, remaining, reset, seenAt: now });
    if (now - (this.#written.get(group) ?? -Infinity) >= WRITE_EVERY_MS) this.#write(group, now);
  }

  /** Writes pending limits. Call it before the process ends. */
  flush(now: number): void {
    for (const group of [...this.#pending.keys()]) this.#write(group, now);
  }

  /** Returns the latest limit of each observed group, in the order of `GROUPS`. */
  read(): ObservedLimit[] {
    return GROUPS.flatMap((group) => {
      const stored = this.#load(group);
      const fresh = this.#pending.get(group);
      const latest = fresh !== undefined && fresh.seenAt >= (stored?.seenAt ?? 0) ? fresh : stored;
      return latest ? [latest] : [];
    });
  }

  /** Removes the stored limits of a service that no longer exists. */
  forget(): void {
    ignoreErrors(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  #write(group: Group, now: number): void {
    const observed = this.#pending.get(group);
    this.#pending.delete(group);
    this.#written.set(group, now);
    const stored = this.#load(group);
    // Keep a newer limit, but not one from the future: a clock that was set back must not freeze it.
    if (observed === undefined || (stored && stored.seenAt > observed.seenAt && stored.seenAt <= now)) return;
    const file = this.#file(group);
    const temporary = `${file}.${process.pid}`;
    try {
      ensurePrivateDir(this.#folder);
      writeFileSync(temporary, JSON.stringify(observed), { mode: 0o600 });
      renameSync(temporary, file);
    } catch {
      ignoreErrors(() => rmSync(temporary, { force: true }));
    }
  }

  #load(group: Group): ObservedLimit | undefined {
    try {
      return parse(group, JSON.parse(readFileSync(this.#file(group), 'utf8')));
    } catch {
      return undefined;
    }
  }

  #file(group: Group): string {
    return join(this.#folder, `${group}.json`);
  }
}

function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // A file that cannot be removed does no harm.
  }
}

/** Derives a folder name of fixed length that does not reveal the address. */
function scopeName({ baseUrl, workspace }: LimitScope): string {
  const address = baseUrl.replace(/\/+$/, '');
  return createHash('sha256')
    .update(JSON.stringify([address, workspace]))
    .digest('hex')
    .slice(0, 32);
}

function parse(group: Group, value: unknown): ObservedLimit | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { limit, remaining, reset, seenAt } = value as Record<string, unknown>;
  if (typeof limit !== 'number' || typeof remaining !== 'number' || typeof seenAt !== 'number')
    return undefined;
  return { group, limit, remaining, reset: typeof reset === 'number' ? reset : undefined, seenAt };
}
