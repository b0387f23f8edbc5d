import { createServer } from 'node:net';
import { join } from 'node:path';
import { seededRandom } from '../../../src/kit/random.ts';
import { serve, startServing } from '../process/served.ts';
import type { SvcProgram } from '../process/svc-process.ts';
import { Ledger } from './ledger.ts';

export interface KillFigures {
  readonly kills: number;
  /** Kills before the process answered a request. */
  readonly early: number;
  readonly batches: number;
  readonly events: number;
  /** Batches whose answer was lost because of a kill. */
  readonly lost: number;
  /** Violations as text. */
  readonly faults: string[];
  /** Answers to repetitions that were not marked as replayed. */
  readonly notReplayed: number;
}

const WORKERS = 8;

/**
 * Kills `svc serve` repeatedly while eight clients import, in a third of the cases during start. After the next start,
 * batches without an answer are resent with their key, except in the last quarter.
 */
export async function killServing(
  program: SvcProgram,
  home: string,
  kills: number,
  seed: string,
): Promise<KillFigures> {
  const random = seededRandom(seed);
  const database = join(home, 'kills.db');
  const port = await freePort();
  const ledger = new Ledger();
  let early = 0;
  let lost = 0;
  for (let round = 0; round < kills; round++) {
    const { process: started, ready } = startServing(program, { database, home, port });
    const gone = new Promise<void>((resolve) => started.child.once('exit', () => resolve()));
    if (random() < 0.33) {
      await sleep(random() * 400);
      early++;
    } else {
      const served = await ready;
      if (round < kills * 0.75) await ledger.again(served);
      const before = ledger.count('unknown');
      const stopping = new AbortController();
      const work = Array.from({ length: WORKERS }, async () => {
        while (!stopping.signal.aborted) {
          const reply = await ledger.send(served, 1 + Math.floor(random() * 200));
          if (reply === undefined) return;
        }
      });
      await sleep(random() * 250);
      started.child.kill('SIGKILL');
      stopping.abort();
      await Promise.all(work);
      lost += ledger.count('unknown') - before;
    }
    started.child.kill('SIGKILL');
    await gone;
  }
  const served = await serve(program, { database, home, port });
  const replays = await ledger.repeat(served, 200);
  const code = await served.stop();
  const faults = ledger.faults(database);
  if (code !== 0) faults.push(`SIGTERM ended the service with ${code}`);
  return {
    kills,
    early,
    batches: ledger.count('accepted'),
    events: ledger.events,
    lost,
    faults,
    notReplayed: replays.filter((mark) => mark !== 'true').length,
  };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
