import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresPrograms, RUN_AS } from './postgres-programs.ts';

const run = promisify(execFile);

/** A server of this process, which can be killed and started again. */
export interface OwnServer {
  /** URL of its superuser. */
  readonly admin: string;
  /** Of its first process. */
  pid(): number;
  /** Ends it at once; what was not on the disk is lost. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on a free port with its data in a new folder. `durable`: it writes through to the disk. */
export async function startPostgres({ durable = false } = {}): Promise<OwnServer> {
  const bin = postgresPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (RUN_AS.uid !== undefined) for (const each of [folder, data]) chownSync(each, RUN_AS.uid, RUN_AS.gid);
  const options = { ...RUN_AS, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' }, cwd: folder };
  const initdb = ['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await run(join(bin, 'initdb'), initdb, options);
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    max_connections: 200,
    max_wal_size: "'2GB'",
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
  const admin = `postgres://svc@127.0.0.1:${port}/postgres`;
  let child: ChildProcess;
  const start = async () => {
    // After a kill the old processes may hold the shared memory for a moment.
    for (let attempt = 1; ; attempt++) {
      child = spawn(join(bin, 'postgres'), ['-D', data], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      const log: string[] = [];
      child.stderr!.setEncoding('utf8').on('data', (text: string) => log.push(text));
      if (await answers(admin, child)) return;
      if (attempt === 20) throw new Error(`PostgreSQL did not start:\n${log.join('')}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  // Whatever ends this process, the server goes with it.
  const onExit = () => void child?.kill('SIGQUIT');
  process.on('exit', onExit);
  await start();
  return {
    admin,
    pid: () => child.pid!,
    start,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGINT');
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes an empty database; returns its URL. `admin` is a superuser's URL. */
export async function createDatabase(admin: string): Promise<string> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  await client.end();
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

/** Waits until the server accepts connections; false when it ended instead. */
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
