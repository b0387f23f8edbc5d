import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { coordinator, createDistributed, dropDistributed, onDatabase } from './citus.ts';
import { postgresPrograms, RUN_AS } from './postgres-programs.ts';

const run = promisify(execFile);

/** A server that this process runs and can kill and restart. */
export interface OwnServer {
  /** Superuser URL. */
  readonly admin: string;
  /** Process id of its main process. */
  pid(): number;
  readonly port: number;
  /** Its data folder. */
  readonly data: string;
  /** Kills it. Data that is not on disk is lost. */
  kill(): Promise<void>;
  /** Shuts it down in fast mode: sessions are terminated and all data is written. */
  shutDown(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Its log. */
  log(): string;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** True to enable fsync. */
  readonly durable?: boolean;
  /** A stopped server to create a standby from. */
  readonly standbyOf?: OwnServer;
}

/** Starts a server on a free port with its data in a new folder. */
export async function startPostgres(options: ServerOptions = {}): Promise<OwnServer> {
  const server = await makePostgres(options);
  await server.start();
  return server;
}

/** Like `startPostgres`, without starting it. */
export async function makePostgres({ durable = false, standbyOf }: ServerOptions = {}): Promise<OwnServer> {
  const bin = postgresPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const data = join(folder, 'data');
  const options = { ...RUN_AS, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' }, cwd: folder };
  if (standbyOf) {
    await run('cp', ['-a', standbyOf.data, data]);
    writeFileSync(join(data, 'standby.signal'), '');
    if (RUN_AS.uid !== undefined) chownSync(folder, RUN_AS.uid, RUN_AS.gid);
  } else {
    mkdirSync(data, { mode: 0o700 });
    if (RUN_AS.uid !== undefined) for (const each of [folder, data]) chownSync(each, RUN_AS.uid, RUN_AS.gid);
    const initdb = ['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
    await run(join(bin, 'initdb'), initdb, options);
  }
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    max_connections: 200,
    max_wal_size: "'2GB'",
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    ...(standbyOf ? { primary_conninfo: `'host=127.0.0.1 port=${standbyOf.port} user=svc'` } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
  const admin = `postgres://svc@127.0.0.1:${port}/postgres`;
  const log: string[] = [];
  let child: ChildProcess | undefined;
  const start = async () => {
    // After a kill the old processes may briefly keep the shared memory.
    for (let attempt = 1; ; attempt++) {
      child = spawn(join(bin, 'postgres'), ['-D', data], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr!.setEncoding('utf8').on('data', (text: string) => log.push(text));
      if (await answers(admin, child)) return;
      if (attempt === 20) throw new Error(`PostgreSQL did not start:\n${log.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  // The server ends with this process.
  const onExit = () => void child?.kill('SIGQUIT');
  process.on('exit', onExit);
  return {
    admin,
    port,
    data,
    pid: () => child!.pid!,
    start,
    log: () => log.join(''),
    kill: () => end('SIGKILL'),
    shutDown: () => end('SIGINT'),
    stop: async () => {
      await end('SIGINT');
      process.off('exit', onExit);
      // Not rmSync: it would block the process, which at the end of a run of tests still waits for its workers.
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a database, an empty one or a copy, and returns its URL. `admin` is a superuser URL. */
export async function createDatabase(admin: string, copyOf = 'template0'): Promise<string> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  if (admin === coordinator)
    return createDistributed(admin, name, copyOf === 'template0' ? undefined : copyOf);
  await onDatabase(admin, async (query) => {
    const { rows } = await query("SELECT current_setting('server_version_num')::int >= 150000 AS chooses");
    // Copying the files takes half the CPU time of writing each page to the log.
    const strategy = rows[0].chooses ? 'STRATEGY file_copy' : '';
    await query(`CREATE DATABASE ${name} TEMPLATE ${copyOf} ${strategy}`);
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database that `createDatabase` has created, with its connections. */
export async function dropDatabase(admin: string, database: string): Promise<void> {
  const name = new URL(database).pathname.slice(1);
  if (admin === coordinator) return dropDistributed(admin, name);
  await onDatabase(admin, (query) => query(`DROP DATABASE ${name} WITH (FORCE)`));
}

/** Waits until the server accepts connections. False if it exits instead. */
async function answers(url: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    } finally {
      await client.end().catch(() => {});
    }
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
