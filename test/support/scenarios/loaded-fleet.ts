import { join } from 'node:path';
import { expect } from 'vitest';
import { type Fleet, startFleet } from '../process/fleet.ts';
import { type SvcProgram, svcProgram } from '../process/svc-process.ts';
import { LOADED_NODE, type Load, type LoadReport, startLoad } from './fleet-load.ts';

export interface LoadedFleetOptions {
  readonly database: string;
  /** What the nodes connect by. Default: `database`. */
  readonly nodeDatabase?: string;
  readonly home: string;
  readonly nodes: number;
}

export interface FleetReport extends LoadReport {
  /** Nodes that exited without being killed. They are not restarted. */
  readonly exits: readonly string[];
}

/** Bundles the program for a test, and removes it when the test is over. */
export async function withProgram(test: (program: SvcProgram) => Promise<void>): Promise<void> {
  const program = await svcProgram();
  try {
    await test(program);
  } finally {
    program.release();
  }
}

/** Starts nodes and a load of imports, decisions and deliveries, breaks things, and counts what became of the load. */
export async function breakLoaded(
  program: SvcProgram,
  options: LoadedFleetOptions,
  breakThings: (fleet: Fleet) => Promise<void>,
): Promise<{ readonly report: FleetReport; readonly fleet: Fleet }> {
  const { database, nodeDatabase = database, home, nodes } = options;
  const folder = join(home, 'nodes');
  const fleet = await startFleet(program, { database: nodeDatabase, home: folder, nodes, argv: LOADED_NODE });
  let load: Load | undefined;
  try {
    load = await startLoad(program, fleet, home);
    await breakThings(fleet);
    return { report: { ...(await load.finish(database)), exits: fleet.exits }, fleet };
  } catch (error) {
    await load?.abandon();
    await fleet.stop();
    throw error;
  }
}

/** No node exited, nothing acknowledged is lost, nothing is doubled, and more than `outcomes` taps were answered. */
export function expectNothingLost(report: FleetReport, outcomes: number): void {
  expect(report.exits).toEqual([]);
  expect(report.failedImports).toEqual([]);
  expect([report.stored, report.distinct]).toEqual([report.accepted, report.accepted]);
  expect(report.decisionsStored).toBe(report.decisions);
  expect(report.deliveriesStored).toBe(report.outcomes);
  expect(report.overCap).toBe(0);
  expect(report.outcomes).toBeGreaterThan(outcomes);
}
