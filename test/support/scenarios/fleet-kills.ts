import { seededRandom } from '../../../src/kit/random.ts';
import { createDatabase, type OwnServer } from '../postgres/postgres.ts';
import type { Fleet } from '../process/fleet.ts';
import type { SvcProgram } from '../process/svc-process.ts';
import { breakLoaded, type FleetReport } from './loaded-fleet.ts';

export interface FleetKillOptions {
  readonly home: string;
  readonly seed: string;
  /** How often a node is killed. */
  readonly nodeKills: number;
  /** The mean pause before each, in ms; pauses vary by a half. */
  readonly everyMs: number;
  /** How often PostgreSQL is killed, together with a node. */
  readonly serverKills: number;
}

const NODES = 3;

/** Runs imports, decisions and deliveries on three nodes while nodes and their PostgreSQL are killed and restarted. */
export async function killFleet(
  program: SvcProgram,
  server: OwnServer,
  options: FleetKillOptions,
): Promise<FleetReport> {
  const database = await createDatabase(server.admin);
  const { report } = await breakLoaded(program, { database, home: options.home, nodes: NODES }, (fleet) =>
    breakThings(fleet, server, options),
  );
  return report;
}

async function breakThings(
  fleet: Fleet,
  server: OwnServer,
  { seed, nodeKills, everyMs, serverKills }: FleetKillOptions,
): Promise<void> {
  const random = seededRandom(seed);
  const withServer = Array.from({ length: serverKills }, (_, i) =>
    Math.floor(((i + 1) * nodeKills) / (serverKills + 1)),
  );
  for (let kill = 0; kill < nodeKills; kill++) {
    await sleep(everyMs * (0.5 + random()));
    const back = await fleet.kill(Math.floor(random() * NODES));
    if (withServer.includes(kill)) {
      await server.kill();
      await sleep(random() * 2000);
      await server.start();
    }
    await back();
  }
  await sleep(everyMs);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
