import type { AppOptions, Properties } from '../../types/app.d.mts';
import { type Answer, backoff, type Connection } from './connection.ts';
import { type Item, Storage } from './storage.ts';

/** Events of a request, and their size as JSON: the service takes 50 and 64 KiB, as do browsers with `keepalive`. */
const BATCH = 50;
const BATCH_CHARS = 18_000;
/** What waits at most, and for how long. */
const MAX_ITEMS = 1000;
const MAX_AGE_MS = 7 * 86_400_000;
const MAX_EVENT_CHARS = 18_000;
const SECOND_MS = 1000;

const sizeOf = (value: unknown) => JSON.stringify(value).length;

/**
 * Events and outcomes until the service has them. Each has an id by which the service stores it once, so that whatever may
 * have been lost is sent again: after a reload, by another tab, or after an answer that did not come.
 */
export class Queue {
  readonly #connection: Connection;
  readonly #storage: Storage;
  readonly #flushMs: number;
  /** The oldest first. */
  #items: Item[] = [];
  readonly #sending = new Set<string>();
  #loaded: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Times by the ticks of the page, which no change of the clock moves. */
  #due = 0;
  #notBefore = 0;
  /** Until then the service asks for no request, also while the page is left. */
  #refusedUntil = 0;
  #failures = 0;
  /** How often all that waits was removed. */
  #forgotten = 0;
  /** Events since the last request, and their characters. */
  #fresh = { events: 0, chars: 0 };
  /** How many events were given up: too many, too old, or refused by the service. */
  dropped = 0;

  constructor(connection: Connection, options: AppOptions) {
    this.#connection = connection;
    this.#flushMs = SECOND_MS * Math.min(30, Math.max(5, options.flushSeconds ?? 10));
    this.#storage = new Storage(`svc-app ${options.baseUrl} ${options.workspace}`);
  }

  get waiting(): number {
    return this.#items.length;
  }

  start(): void {
    const forgotten = this.#forgotten;
    this.#loaded ??= this.#storage.all().then((stored) => {
      if (forgotten !== this.#forgotten) return;
      const known = new Set(this.#items.map(({ id }) => id));
      this.#items = [...stored.filter(({ id }) => !known.has(id)), ...this.#items];
      this.#drop();
    });
    void this.#loaded.then(() => this.flush());
  }

  /** `forget`: also what waits on this device is removed. Resolves once it is. */
  async stop(forget: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!forget) return;
    this.#forgotten++;
    this.#items = [];
    this.#loaded = undefined;
    await this.#storage.clear();
  }

  /** Resolves with the id of an event once it is kept on this device. */
  async track(event: string, properties?: Properties): Promise<string> {
    if (!this.#connection.isOpen) throw new Error('the app is not started');
    const seq = Date.now();
    const time = this.#time();
    const forgotten = this.#forgotten;
    const user = await this.#connection.user();
    if (forgotten !== this.#forgotten) throw new Error('the app is not started');
    if (!user) throw new Error('no user is signed in');
    if (user.userId === undefined)
      throw new Error('the token does not say a userId: make it with one, or give createApp a userId');
    const { userId } = user;
    const of = { userId, event, ...(properties === undefined ? {} : { properties }) };
    if (sizeOf(of) > MAX_EVENT_CHARS)
      throw new RangeError(`the event is larger than ${MAX_EVENT_CHARS} characters`);
    const id = crypto.randomUUID();
    await this.#add({ id, ...time, seq, event: of });
    return id;
  }

  /** Reports an outcome of a message, once. */
  async report(hashId: string, decisionId: string, type: string): Promise<void> {
    const id = `${decisionId} ${type}`;
    if (this.#items.some((item) => item.id === id)) return;
    await this.#add({ id, ...this.#time(), seq: Date.now(), outcome: { decisionId, type, hashId } }, true);
  }

  #time(): Pick<Item, 'at' | 'exact'> {
    const { offset } = this.#connection;
    return offset === undefined ? { at: Date.now() } : { at: Date.now() + offset, exact: true };
  }

  async #add(item: Item, now = false): Promise<void> {
    this.#items.push(item);
    this.#drop();
    const stored = this.#storage.put(item);
    if (item.event) {
      this.#fresh.events++;
      this.#fresh.chars += sizeOf(item.event);
    }
    const { events, chars } = this.#fresh;
    if (now || events >= BATCH || chars > BATCH_CHARS) void this.flush();
    else this.#later(this.#flushMs);
    await stored;
  }

  /** Gives up what is too old, and the oldest of what is too many. */
  #drop(): void {
    const { offset } = this.#connection;
    // Which are old is known once the time is.
    const oldest = offset === undefined ? Number.NEGATIVE_INFINITY : this.#connection.now() - MAX_AGE_MS;
    const many = this.#items.length - MAX_ITEMS;
    const gone = this.#items.filter((item, i) => i < many || timeOf(item, offset) < oldest);
    if (gone.length > 0) this.#forget(gone, true);
  }

  #forget(gone: readonly Item[], isLost: boolean): void {
    const ids = new Set(gone.map(({ id }) => id));
    if (isLost) this.dropped += gone.filter(({ event }) => event).length;
    this.#items = this.#items.filter(({ id }) => !ids.has(id));
    void this.#storage.remove([...ids]);
  }

  /** Flushes after a while, unless it is to be done before. */
  #later(ms: number): void {
    const due = performance.now() + ms;
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, ms);
  }

  /** Sends what waits for the user. `leaving`: at once, so that it outlives the page. */
  async flush(leaving = false): Promise<void> {
    if (!this.#connection.isOpen) return;
    const wait = (leaving ? this.#refusedUntil : this.#notBefore) - performance.now();
    if (wait > 0) return this.#later(wait);
    const user = leaving ? this.#connection.known : await this.#connection.user();
    if (!this.#connection.isOpen) return;
    if (!user) return this.#later(this.#flushMs);
    if (!leaving && this.#sending.size > 0) return this.#later(SECOND_MS / 10);
    // That of an event stays as it is stored, and no poll may have told the time.
    if (!leaving && this.#connection.offset === undefined && this.#items.some(({ event }) => event))
      await this.#connection.askForTime();
    this.#drop();
    this.#fresh = { events: 0, chars: 0 };
    const free = this.#items.filter(({ id }) => !this.#sending.has(id));
    const outcomes = free.filter(({ outcome }) => outcome?.hashId === user.hashId).slice(0, 5);
    const events = batchOf(free.filter(({ event }) => event && event.userId === user.userId));
    const offset = this.#connection.offset;
    const requests = outcomes.map((item) =>
      this.#send([item], () => {
        const { decisionId, type } = item.outcome!;
        const path = `/v1/messages/${encodeURIComponent(decisionId)}/outcomes`;
        return this.#connection.send(user, path, { body: { type }, keepalive: true });
      }),
    );
    if (events.length > 0)
      requests.push(
        this.#send(events, () => {
          // Nothing happens later than now, whatever was the matter with the clock.
          const now = this.#connection.now();
          const body = events.map((item) => ({
            ...item.event,
            timestamp: new Date(Math.min(now, timeOf(item, offset))).toISOString(),
            eventId: item.id,
          }));
          return this.#connection.send(user, '/v1/events', { body: { events: body }, keepalive: leaving });
        }),
      );
    if (requests.length === 0) return;
    const sent = await Promise.all(requests);
    const ok = sent.every((done) => done);
    if (this.#items.some(({ id }) => !this.#sending.has(id)) && this.#connection.isOpen && !leaving)
      this.#later(ok ? SECOND_MS / 10 : Math.max(0, this.#notBefore - performance.now()));
  }

  #fail({ waitMs }: Answer): void {
    this.#notBefore = performance.now() + backoff(++this.#failures, waitMs);
    if (waitMs > 0) this.#refusedUntil = this.#notBefore;
  }

  /** Sends items. Resolves with whether they are done. */
  async #send(items: readonly Item[], send: () => Promise<Answer>): Promise<boolean> {
    for (const { id } of items) this.#sending.add(id);
    const offset = this.#connection.offset;
    const answer = await send();
    for (const { id } of items) this.#sending.delete(id);
    const { status, body } = answer;
    // A page of a proxy or of a log-in says nothing of what was sent.
    const isOfService = typeof body === 'object' && body !== null && 'requestId' in body;
    if (status === 202 && isOfService) {
      this.#failures = 0;
      this.#forget(items, false);
      return true;
    }
    // The times were those of a clock that was not corrected yet.
    const corrected = Math.abs((this.#connection.offset ?? 0) - (offset ?? 0)) > 1000;
    if (status === 400 && corrected && items[0]!.event) return false;
    const wrong = status === 400 ? wrongOf(body, items) : [];
    if (wrong.length > 0) this.#forget(wrong, true);
    else if (isOfService && [400, 403, 404, 409, 413].includes(status)) this.#forget(items, true);
    else this.#fail(answer);
    return false;
  }
}

/** When an item happened by the clock of the service, as far as it is known. */
const timeOf = ({ at, exact }: Item, offset: number | undefined) => (exact ? at : at + (offset ?? 0));

/** The first items that one request may have. */
function batchOf(items: readonly Item[]): Item[] {
  let chars = 0;
  const batch = items.slice(0, BATCH);
  const end = batch.findIndex((item) => {
    chars += sizeOf(item);
    return chars > BATCH_CHARS;
  });
  return end === -1 ? batch : batch.slice(0, Math.max(1, end));
}

/** The items that an answer names as wrong. */
function wrongOf(body: unknown, items: readonly Item[]): Item[] {
  const { details } = (body ?? {}) as { details?: { index?: number }[] };
  const indexes = new Set((Array.isArray(details) ? details : []).map(({ index }) => index));
  return items.filter((_, i) => indexes.has(i));
}
