import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { makePostgres, type OwnServer, startPostgres } from './postgres.ts';

/** A primary behind a fixed address, like a virtual IP or HAProxy, and at times a synchronous standby. */
export interface PostgresCluster {
  /** URL for clients, with a superuser. */
  readonly admin: string;
  /** The current primary. */
  primary(): OwnServer;
  /** Stops the primary, copies its data and starts both. From then on, commits wait for the standby. */
  addStandby(): Promise<void>;
  /** Kills the primary and promotes the standby behind the address. Resolves once it accepts writes. */
  failOver(): Promise<void>;
  /** The logs of all servers. */
  log(): string;
  stop(): Promise<void>;
}

export async function startCluster(): Promise<PostgresCluster> {
  let primary = await startPostgres({ durable: true });
  let standby: OwnServer | undefined;
  let earlierLogs = '';
  const address = await forwarder(() => primary.port);
  const admin = new URL(primary.admin);
  admin.port = String(address.port);
  return {
    admin: admin.href,
    primary: () => primary,
    addStandby: async () => {
      await primary.shutDown();
      standby = await makePostgres({ durable: true, standbyOf: primary });
      await primary.start();
      await standby.start();
      await asAdmin(primary, async (query) => {
        await query("ALTER SYSTEM SET synchronous_standby_names = '*'");
        await query('SELECT pg_reload_conf()');
        const sync = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'";
        while ((await query(sync)).rowCount === 0) await sleep(50);
        // Commits wait once the checkpointer has read the setting.
        await query('CHECKPOINT');
      });
    },
    failOver: async () => {
      const [old, next] = [primary, standby!];
      await old.kill();
      address.cut();
      await asAdmin(next, (query) => query('SELECT pg_promote(true, 60)'));
      primary = next;
      standby = undefined;
      earlierLogs += old.log();
      await old.stop();
    },
    log: () => earlierLogs + primary.log(),
    stop: async () => {
      address.close();
      await standby?.stop();
      await primary.stop();
    },
  };
}

type Query = (sql: string) => Promise<pg.QueryResult>;

async function asAdmin(server: OwnServer, work: (query: Query) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server.admin });
  client.on('error', () => {});
  await client.connect();
  try {
    await work((sql) => client.query(sql));
  } finally {
    await client.end();
  }
}

/** Forwards connections to a local port. */
export async function forwarder(
  target: () => number | Promise<number>,
): Promise<{ port: number; cut(): void; close(): void }> {
  const open = new Set<Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer(async (client) => {
    client.on('error', () => client.destroy());
    const port = await target();
    if (client.destroyed) return;
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => peer.destroy());
      socket.on('close', () => {
        open.delete(socket);
        peer.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
