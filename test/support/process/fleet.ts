import { mkdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Served, startServing } from './served.ts';
import type { SvcProgram } from './svc-process.ts';

/** Several `svc serve` on one database, behind a plain TCP round-robin. */
export interface Fleet {
  /** Where the round-robin listens. */
  readonly url: string;
  readonly workspace: string;
  readonly apiKey: string;
  readonly nodes: readonly Served[];
  /** How nodes ended that nobody here ended, in words: empty where none did. */
  readonly exits: readonly string[];
  /** SIGKILL to one node; it is started again on its port when the result is called. Throws where it ended before. */
  kill(node: number): Promise<() => Promise<void>>;
  /** What all nodes wrote to stderr, those that were killed too. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly database: string;
  readonly home: string;
  readonly nodes: number;
  readonly argv: readonly string[];
}

export async function startFleet(program: SvcProgram, options: FleetOptions): Promise<Fleet> {
  const { database, home, argv } = options;
  mkdirSync(home, { recursive: true });
  const started: Served[] = [];
  const exits: string[] = [];
  const ended = new Set<Served>();
  const start = async (port?: number) => {
    const served = await startServing(program, { database, home, argv, ...(port ? { port } : {}) }).ready;
    started.push(served);
    const { child } = served.process;
    child.once('exit', (code, signal) => {
      if (!ended.has(served)) exits.push(`node on port ${served.port}: ${code ?? signal}`);
    });
    return served;
  };
  const nodes = [await start()];
  while (nodes.length < options.nodes) nodes.push(await start());
  const { workspace, apiKey } = nodes[0]!;
  const balancer = await roundRobin(() => nodes.map(({ port }) => port));
  return {
    url: balancer.url,
    workspace,
    apiKey,
    nodes,
    exits,
    kill: async (node) => {
      const served = nodes[node]!;
      const { port } = served;
      if (served.process.child.exitCode !== null || served.process.child.signalCode !== null)
        throw new Error(`nobody killed it, and it ended: ${(await served.process.ended).stderr}`);
      ended.add(served);
      await served.kill();
      return async () => {
        nodes[node] = await start(port);
      };
    },
    logs: async () => {
      const all = await Promise.all(started.map((served) => served.process.ended));
      return all.map(({ stderr }) => stderr).join('');
    },
    stop: async () => {
      balancer.close();
      for (const node of nodes) {
        ended.add(node);
        await node.stop();
      }
    },
  };
}

/** Passes each connection on to the next port that accepts it; closes it where none does. */
async function roundRobin(ports: () => number[]): Promise<{ url: string; close(): void }> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => {}).on('close', () => open.delete(client));
    const order = ports();
    const first = turn++;
    const tryNext = (tried: number) => {
      if (tried === order.length) return void client.destroy();
      const node = connect(order[(first + tried) % order.length]!, '127.0.0.1');
      const failed = () => tryNext(tried + 1);
      node.once('error', failed);
      node.once('connect', () => {
        node.off('error', failed).on('error', () => client.destroy());
        node.on('close', () => client.destroy());
        client.on('close', () => node.destroy());
        client.pipe(node).pipe(client);
      });
    };
    tryNext(0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Environment of a client of the fleet, with data of its own below `home`. */
export function clientOf(fleet: Fleet, home: string): Record<string, string> {
  mkdirSync(home, { recursive: true });
  return {
    PATH: process.env.PATH!,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_DATA_DIR: join(home, 'data'),
    SVC_BASE_URL: fleet.url,
    SVC_WORKSPACE: fleet.workspace,
    SVC_API_KEY: fleet.apiKey,
  };
}
