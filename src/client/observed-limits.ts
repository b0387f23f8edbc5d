import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUPS, type Group } from '../contract/limits.ts';
import { ensurePrivateDir } from '../kit/private-file.ts';
import type { RateAnswer } from './pacer/answer.ts';

/** What the last answer of a group said. Times in Unix ms. */
export interface ObservedLimit {
  readonly group: Group;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest counted request leaves the window; undefined where the service did not say. */
  readonly reset: number | undefined;
  readonly seenAt: number;
}

/** Whose limits they are: limits count per workspace of a service. */
export interface LimitScope {
  readonly baseUrl: string;
  readonly workspace: string;
}

/** An import sees hundreds of answers a second; the file follows at most this often, in ms, and at the end. */
const WRITE_EVERY_MS = 1000;

/**
 * The rate-limit headers of every answer, kept for `svc limits`: one small file for each service, workspace and group.
 * Any number of processes may write: a file is replaced as a whole by a rename, so a reader sees one answer or the
 * other, never a mixture. Nothing here ever fails a command; what cannot be kept is left out.
 */
export class ObservedLimits {
  readonly #folder: string;
  readonly #written = new Map<Group, number>();
  readonly #unwritten = new Map<Group, ObservedLimit>();

  constructor(dataDir: string, scope: LimitScope) {
    this.#folder = join(dataDir, 'limits', scopeName(scope));
  }

  /** Notes an answer that arrived at `now`. Answers without limit and remaining say nothing and are passed over. */
  note(group: Group, answer: RateAnswer, now: number): void {
    const { limit, remaining, resetIn } = answer;
    if (limit === undefined || remaining === undefined) return;
    const reset = resetIn === undefined ? undefined : now + resetIn;
    this.#unwritten.set(group, { group, limit, remaining, reset, seenAt: now });
    if (now - (this.#written.get(group) ?? -Infinity) >= WRITE_EVERY_MS) this.#write(group, now);
  }

  /** Writes what is not written yet. To be called before the process ends. */
  flush(now: number): void {
    for (const group of [...this.#unwritten.keys()]) this.#write(group, now);
  }

  /** What is known of each group, in the order of `GROUPS`; groups never seen are missing. */
  read(): ObservedLimit[] {
    return GROUPS.flatMap((group) => {
      const kept = this.#load(group);
      const fresh = this.#unwritten.get(group);
      const latest = fresh !== undefined && fresh.seenAt >= (kept?.seenAt ?? 0) ? fresh : kept;
      return latest ? [latest] : [];
    });
  }

  /** Removes what is kept: the service it was said of is gone. */
  forget(): void {
    tryTo(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  #write(group: Group, now: number): void {
    const observed = this.#unwritten.get(group);
    this.#unwritten.delete(group);
    this.#written.set(group, now);
    const kept = this.#load(group);
    // A clock that was set back must not freeze what is kept: only what is plausibly newer stays.
    if (observed === undefined || (kept && kept.seenAt > observed.seenAt && kept.seenAt <= now)) return;
    const file = this.#file(group);
    const draft = `${file}.${process.pid}`;
    try {
      ensurePrivateDir(this.#folder);
      writeFileSync(draft, JSON.stringify(observed), { mode: 0o600 });
      renameSync(draft, file);
    } catch {
      tryTo(() => rmSync(draft, { force: true }));
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

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // What cannot even be removed harms nobody.
  }
}

/** A folder name that says nothing about the address, of fixed length whatever the address holds. */
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
