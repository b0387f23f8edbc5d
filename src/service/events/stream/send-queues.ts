import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The kernel's tables of connections (Linux). */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Ports and queues of an established connection, in hexadecimal. */
const CONNECTION = /:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 ([0-9A-F]{8}):([0-9A-F]{8})/g;
/** A longer table is too expensive to be read again and again, in characters. */
const MAX_TABLE = 4 * 1024 * 1024;
/** The time between two looks, in ms: a hundred times as long as a look takes, between these. */
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 400;

type Connection = Pick<Socket, 'localPort' | 'remotePort' | 'localAddress' | 'remoteAddress'>;

interface Waiting {
  readonly connection: Connection;
  readonly most: number;
  readonly go: () => void;
}

/** Bytes in the queues of connections, by their ports. Of two with the same ports, the fewest: addresses are not compared. */
interface Queues {
  readonly sending: ReadonlyMap<string, number>;
  /** What arrived and was not read. */
  readonly arrived: ReadonlyMap<string, number>;
}

/** Reads the tables. Undefined if they cannot be read. */
async function readQueues(): Promise<Queues | undefined> {
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const text = texts.join('');
  if (text === '' || text.length > MAX_TABLE) return undefined;
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
  readonly #read: typeof readQueues;
  #waiting = new Set<Waiting>();
  #looking = false;
  #unknown = false;

  constructor(read = readQueues) {
    this.#read = read;
  }

  /** Resolves when the client of the connection has taken all but `most` bytes, or with the signal. */
  async drained(connection: Connection, most: number, signal: AbortSignal): Promise<void> {
    if (this.#unknown) return;
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        connection,
        most,
        go: () => {
          this.#waiting.delete(waiting);
          signal.removeEventListener('abort', waiting.go);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', waiting.go);
      if (signal.aborted) waiting.go();
      if (!this.#looking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#looking = true;
    for (let pause = LEAST_PAUSE_MS; this.#waiting.size > 0; ) {
      await sleep(pause, undefined, { ref: false });
      const started = performance.now();
      const queues = await this.#read();
      this.#unknown = queues === undefined;
      for (const { connection, most, go } of this.#waiting)
        if (!queues || untaken(queues, connection) <= most) go();
      const took = performance.now() - started;
      pause = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, 100 * took));
    }
    this.#looking = false;
  }
}
