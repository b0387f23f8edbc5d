import { closeSync, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';

/** The kernel's tables of connections (Linux). */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Ports and queues of an established connection, in hexadecimal. */
const CONNECTION = /:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 ([0-9A-F]{8}):([0-9A-F]{8})/g;
/** A longer table is too expensive to be read again and again, in characters. */
const MAX_TABLE = 4 * 1024 * 1024;
/** The time between two looks, in ms: 20 times as long as a look takes, between these; the most where no client takes anything. */
const PAUSE_MS = 100;
const PAUSE_LOOKS = 20;
const IDLE_PAUSE_MS = 400;
/** After how long a look gives way to other work, in ms. */
const PIECE_MS = 2;
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

type Connection = Pick<Socket, 'localPort' | 'remotePort' | 'localAddress' | 'remoteAddress'>;

interface Waiting {
  readonly connection: Connection;
  readonly most: number;
  /** Bytes that were not taken at the last look; undefined before the first. */
  left: number | undefined;
  /** The last look found other bytes than the one before; true before the first. */
  isTaking: boolean;
  readonly go: () => void;
}

/** Bytes in the queues of connections, by their ports. Of two with the same ports, the fewest: addresses are not compared. */
interface Queues {
  readonly sending: ReadonlyMap<string, number>;
  /** What arrived and was not read. */
  readonly arrived: ReadonlyMap<string, number>;
  /** How long the look took, without other work, in ms. */
  readonly took: number;
}

/** Reads the tables. Undefined if they cannot be read. `between` is awaited after each PIECE_MS. */
async function readQueues(between: () => Promise<void>): Promise<Queues | undefined> {
  let text = '';
  let took = 0;
  for (const path of TABLES) {
    const pieces = piecesOf(path);
    for (; text.length <= MAX_TABLE; await between()) {
      const started = performance.now();
      const { value, done } = pieces.next();
      took += performance.now() - started;
      if (done) break;
      text += value;
    }
    // Closes the table, where it is too long.
    pieces.return();
  }
  if (text === '' || text.length > MAX_TABLE) return undefined;
  return { ...queuesOf(text), took };
}

/**
 * Reads a table, each piece for PIECE_MS. The kernel gives a few lines at a time: by promises, each would wait for the other
 * work of the process, so that a table of a thousand connections took a second.
 */
function* piecesOf(path: string): Generator<string, void> {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    for (let bytes = 1; bytes > 0; ) {
      let piece = '';
      const started = performance.now();
      do {
        bytes = readSync(file, buffer);
        piece += buffer.toString('latin1', 0, bytes);
      } while (bytes > 0 && performance.now() - started < PIECE_MS);
      yield piece;
    }
  } catch {
    // A system without this table.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function queuesOf(text: string): Omit<Queues, 'took'> {
  const sending = new Map<string, number>();
  const arrived = new Map<string, number>();
  for (const [, local, remote, ...queues] of text.matchAll(CONNECTION)) {
    const ports = `${local} ${remote}`;
    for (const [i, queue] of [sending, arrived].entries())
      queue.set(ports, Math.min(queue.get(ports) ?? Infinity, Number.parseInt(queues[i]!, 16)));
  }
  return { sending, arrived };
}

const hex = (port: number | undefined) => (port ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** The bytes that the client of a connection has not taken; one on this machine has not read them either. */
function untaken({ sending, arrived }: Queues, { localPort, remotePort, ...addresses }: Connection): number {
  const [local, remote] = [hex(localPort), hex(remotePort)];
  const isOwn = addresses.localAddress === addresses.remoteAddress;
  return (sending.get(`${local} ${remote}`) ?? 0) + (isOwn ? (arrived.get(`${remote} ${local}`) ?? 0) : 0);
}

/**
 * What the clients of a process have not taken of what was written to their connections. Neither Node nor the kernel tells
 * whether a client reads: the kernel takes megabytes for a client that does not. Linux lists what it holds for each. Where
 * there is no such list, nobody waits.
 */
export class SendQueues {
  readonly #read: () => Promise<Queues | undefined>;
  #waiting = new Set<Waiting>();
  #looking = false;
  #unknown = false;
  /** Ends the pause of a time in which no client took anything. */
  #wake = () => {};

  /** `between` resolves when a piece of work may go on. */
  constructor(between: () => Promise<void>, read = readQueues) {
    this.#read = () => read(between);
  }

  /** Resolves when the client of the connection has taken all but `most` bytes, or with the signal. */
  async drained(connection: Connection, most: number, signal: AbortSignal): Promise<void> {
    if (this.#unknown) return;
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        connection,
        most,
        left: undefined,
        isTaking: true,
        go: () => {
          this.#waiting.delete(waiting);
          signal.removeEventListener('abort', waiting.go);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', waiting.go);
      if (signal.aborted) waiting.go();
      this.#wake();
      if (!this.#looking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#looking = true;
    for (let pause = PAUSE_MS; this.#waiting.size > 0; ) {
      await this.#pause(pause);
      const queues = await this.#read();
      this.#unknown = queues === undefined;
      for (const waiting of this.#waiting) {
        const left = queues ? untaken(queues, waiting.connection) : 0;
        waiting.isTaking = left !== waiting.left;
        waiting.left = left;
        if (left <= waiting.most) waiting.go();
      }
      pause = Math.min(IDLE_PAUSE_MS, Math.max(PAUSE_MS, PAUSE_LOOKS * (queues?.took ?? 0)));
    }
    this.#looking = false;
  }

  /**
   * Many clients that read nothing make each look long, but one that reads must not wait for them: it is looked at soon
   * after it was sent something, and as long as it takes what it was sent.
   */
  async #pause(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms).unref());
    if ([...this.#waiting].some(({ isTaking }) => isTaking)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, IDLE_PAUSE_MS - ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
