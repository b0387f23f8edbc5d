/** What waits to be sent: an event, or an outcome of a message. */
export interface Item {
  /** The id of the event, or `DECISION TYPE` of the outcome. */
  readonly id: string;
  /** When it happened, Unix ms: by the clock of the service, or by that of this device while the other was not known. */
  readonly at: number;
  /** By the clock of the service. */
  readonly exact?: boolean;
  /** Its place in the queue. */
  readonly seq: number;
  readonly event?: {
    readonly userId: string;
    readonly event: string;
    readonly properties?: Readonly<Record<string, string | number | boolean>>;
  };
  readonly outcome?: { readonly decisionId: string; readonly type: string; readonly hashId: string };
}

const STORE = 'items';

/**
 * Items in IndexedDB, so that they outlive the page. Where the browser has none (a private window may not), nothing is
 * kept and nothing fails.
 */
export class Storage {
  readonly #name: string;
  #opened: Promise<IDBDatabase | undefined> | undefined;
  /** Changes that go into the next transaction, and the promise of it. */
  #changes: ((store: IDBObjectStore) => void)[] = [];
  #written: Promise<void> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  #open(): Promise<IDBDatabase | undefined> {
    this.#opened ??= new Promise((resolve) => {
      try {
        const request = indexedDB.open(this.#name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
        request.onsuccess = () => {
          const closed = () => {
            this.#opened = undefined;
          };
          // The user removes what the page has stored: it may be stored again.
          request.result.onclose = closed;
          request.result.onversionchange = () => {
            request.result.close();
            closed();
          };
          resolve(request.result);
        };
        request.onerror = () => resolve(undefined);
        request.onblocked = () => resolve(undefined);
      } catch {
        resolve(undefined);
      }
    });
    return this.#opened;
  }

  /** All items, the oldest first. */
  async all(): Promise<Item[]> {
    let items: Item[] = [];
    await this.#run('readonly', (store) => {
      store.getAll().onsuccess = ({ target }) => {
        items = (target as IDBRequest<Item[]>).result;
      };
    });
    return items.sort((a, b) => a.seq - b.seq);
  }

  /** Resolves once the item would outlive the page. */
  put(item: Item): Promise<void> {
    return this.#write((store) => store.put(item));
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#write((store) => {
      for (const id of ids) store.delete(id);
    });
  }

  clear(): Promise<void> {
    return this.#write((store) => store.clear());
  }

  /** Changes of the same moment share a transaction, which takes longer than they do. */
  #write(change: (store: IDBObjectStore) => void): Promise<void> {
    this.#changes.push(change);
    this.#written ??= Promise.resolve().then(() => {
      const changes = this.#changes;
      this.#changes = [];
      this.#written = undefined;
      return this.#run('readwrite', (store) => {
        for (const apply of changes) apply(store);
      });
    });
    return this.#written;
  }

  async #run(mode: IDBTransactionMode, work: (store: IDBObjectStore) => void): Promise<void> {
    const database = await this.#open();
    if (!database) return;
    await new Promise<void>((resolve) => {
      try {
        const transaction = database.transaction(STORE, mode);
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => resolve();
        work(transaction.objectStore(STORE));
      } catch {
        resolve();
      }
    });
  }
}
