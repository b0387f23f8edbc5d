import type { AppOptions, Message } from '../../types/app.d.mts';
import type { Connection } from './connection.ts';
import type { Queue } from './queue.ts';
import { MessageView } from './view.ts';

/** A surface is asked for at most once in this time. */
const POLL_MS = 30_000;
/** How long at least half of a message is seen before it counts as opened. */
const SEEN_MS = 1000;
/** Messages that were closed, remembered until the service knows. */
const MAX_CLOSED = 200;

/** A place for messages: a slot of the page, or the page itself. */
export interface Place {
  readonly surface: string;
  /** Puts a view into the place; undefined takes it out. */
  fill(view: MessageView | undefined): void;
}

interface Polled {
  /** When the surface may be asked for again, by the ticks of the page. */
  next: number;
  messages: Message[];
  /** By which the service says that these are still its messages. */
  tag: string | undefined;
  asking: Promise<void> | undefined;
}

/** A message that is on the page. */
interface Shown {
  readonly message: Message;
  readonly close: () => void;
}

/** Finds messages for the surfaces of the page and shows each once, also over two tabs. */
export class Display {
  readonly #connection: Connection;
  readonly #queue: Queue;
  readonly #options: AppOptions;
  readonly #surfaces = new Map<string, Polled>();
  readonly #places = new Map<Place, Shown | undefined>();
  readonly #shown = new Map<string, Shown>();
  readonly #closed: Set<string>;
  #dialog: Shown | undefined;
  #running = false;
  /** Whom the messages are for. */
  #hashId: string | undefined;

  constructor(connection: Connection, queue: Queue, options: AppOptions) {
    this.#connection = connection;
    this.#queue = queue;
    this.#options = options;
    this.#closed = new Set(this.#remembered());
  }

  start(): void {
    this.#running = true;
    this.pollAll();
  }

  stop(): void {
    this.#running = false;
    for (const { close } of [...this.#shown.values()]) close();
    this.#surfaces.clear();
  }

  /** A slot that is on the page now. */
  add(place: Place): void {
    this.#places.set(place, undefined);
    void this.#offer(place);
  }

  /** A slot that left the page: what it showed is no longer shown, without an outcome. */
  remove(place: Place): void {
    this.#places.get(place)?.close();
    this.#places.delete(place);
  }

  /** Asks for the messages of all surfaces of the page whose time has come. */
  pollAll(): void {
    for (const place of this.#places.keys()) void this.#offer(place);
  }

  /** Shows the first message of a surface over the page. Resolves with it; undefined if there is none. */
  async show(surface: string): Promise<Message | undefined> {
    const place = { surface, fill: () => {} };
    return this.#offer(place, true);
  }

  async #offer(place: Place, isPage = false): Promise<Message | undefined> {
    if (!this.#running) return undefined;
    const polled = await this.#poll(place.surface);
    for (const message of polled.messages) {
      if (!this.#running || this.#places.get(place)) return undefined;
      if (!isPage && !this.#places.has(place)) return undefined;
      const asDialog = message.format === 'modal' || message.format === 'full-screen';
      if (this.#shown.has(message.decisionId) || this.#closed.has(message.decisionId)) continue;
      if (asDialog && this.#dialog) continue;
      if (await this.#present(message, place, isPage, asDialog)) return message;
    }
    return undefined;
  }

  async #poll(surface: string): Promise<Polled> {
    let polled = this.#surfaces.get(surface);
    if (!polled) {
      polled = { next: 0, messages: [], tag: undefined, asking: undefined };
      this.#surfaces.set(surface, polled);
    }
    if (performance.now() >= polled.next) polled.asking ??= this.#ask(surface, polled);
    await polled.asking;
    return polled;
  }

  async #ask(surface: string, polled: Polled): Promise<void> {
    const user = await this.#connection.user();
    // The app was stopped meanwhile, and the user may be another one.
    if (this.#surfaces.get(surface) !== polled) return;
    this.#isFor(user?.hashId);
    if (user) {
      polled.next = performance.now() + POLL_MS;
      const query = new URLSearchParams({ hashId: user.hashId, surface });
      const { tag } = polled;
      const answer = await this.#connection.send(user, `/v1/messages?${query}`, { tag });
      const { messages } = (answer.body ?? {}) as { messages?: Message[] };
      if (answer.status === 200 && Array.isArray(messages) && user.hashId === this.#hashId) {
        polled.messages = messages;
        polled.tag = answer.tag;
      }
      polled.next = Math.max(polled.next, performance.now() + answer.waitMs);
    }
    polled.asking = undefined;
  }

  /** What was found for one user is not for the next one. */
  #isFor(hashId: string | undefined): void {
    if (hashId === this.#hashId) return;
    this.#hashId = hashId;
    for (const polled of this.#surfaces.values()) Object.assign(polled, { messages: [], tag: undefined });
    for (const { close } of [...this.#shown.values()]) close();
  }

  /** Shows a message, unless another tab does. Resolves with whether it is shown. */
  #present(message: Message, place: Place, isPage: boolean, asDialog: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const shown = () => {
        const isTaken = (asDialog && this.#dialog) || this.#places.get(place);
        // Another tab may have closed it meanwhile.
        for (const decisionId of this.#remembered()) this.#closed.add(decisionId);
        const isDone = this.#shown.has(message.decisionId) || this.#closed.has(message.decisionId);
        if (!this.#running || isTaken || isDone) {
          resolve(false);
          return Promise.resolve();
        }
        // As long as the lock is held, no other tab shows the message.
        return new Promise<void>((closed) => {
          this.#open(message, place, isPage || asDialog, asDialog, closed);
          resolve(true);
        });
      };
      const name = `svc-app ${this.#options.workspace} ${message.decisionId}`;
      if (!navigator.locks) return void shown();
      void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (lock) return shown();
        resolve(false);
        return undefined;
      });
    });
  }

  #open(message: Message, place: Place, onPage: boolean, asDialog: boolean, closed: () => void): void {
    const { action, labels } = this.#options;
    const user = this.#connection.known;
    const report = (type: string) => {
      if (user) void this.#queue.report(user.hashId, message.decisionId, type);
    };
    const view = new MessageView({
      message,
      action: action?.(message),
      allowed: this.#options.allowedOrigins ?? [],
      labels: { action: labels?.action ?? 'Open', close: labels?.close ?? 'Close' },
      seenMs: SEEN_MS,
      onOpened: () => report('opened'),
      onDismissed: () => {
        if (this.#closed.has(message.decisionId)) return;
        report('dismissed');
        this.#remember(message.decisionId);
        shown.close();
      },
      onClicked: (follow) => {
        if (this.#closed.has(message.decisionId)) return;
        report('clicked');
        this.#remember(message.decisionId);
        shown.close();
        void Promise.resolve(this.#options.onAction?.(message)).then(
          (done) => {
            if (follow || (this.#options.onAction && done !== false)) report('actioned');
            follow?.();
          },
          () => undefined,
        );
      },
    });
    const shown: Shown = {
      message,
      close: () => {
        if (!this.#shown.delete(message.decisionId)) return;
        if (this.#dialog === shown) this.#dialog = undefined;
        if (this.#places.get(place) === shown) this.#places.set(place, undefined);
        view.leave();
        closed();
        // The place is free, and after a dialog there may be another one elsewhere.
        if (this.#running) this.pollAll();
      },
    };
    this.#shown.set(message.decisionId, shown);
    if (asDialog) this.#dialog = shown;
    if (this.#places.has(place)) this.#places.set(place, shown);
    if (onPage) {
      view.toggleAttribute('floating', !asDialog);
      document.body.append(view);
    } else place.fill(view);
  }

  get #memory(): string {
    return `svc-app closed ${this.#options.workspace}`;
  }

  #remembered(): string[] {
    try {
      const found: unknown = JSON.parse(localStorage.getItem(this.#memory) ?? '[]');
      return Array.isArray(found) ? found : [];
    } catch {
      return [];
    }
  }

  /** A message that was closed is not shown again, even before the service knows. */
  #remember(decisionId: string): void {
    this.#closed.add(decisionId);
    try {
      const ids = [...this.#remembered(), decisionId].slice(-MAX_CLOSED);
      localStorage.setItem(this.#memory, JSON.stringify(ids));
    } catch {
      // The page keeps it as long as it lives.
    }
  }
}
