/**
 * Measures the time of `svc serve` from its start to the first 2xx with a million stored events, after it was killed
 * during an import and has to recover the write-ahead log. `npm run build && npm run bench -- bench/restart.ts [events] [starts]`.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../test/support/process/served.ts';
import { Ledger } from '../test/support/scenarios/ledger.ts';
import { benchProgram } from './bench-program.ts';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const STARTS = Number(process.argv[3] ?? 5);

const built = benchProgram();
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const database = join(home, 'restart.db');
const ledger = new Ledger();
const times: number[] = [];
try {
  let served = await serve(built, { home, database });
  for (let sent = 0; sent < EVENTS; sent += 8000)
    await Promise.all(Array.from({ length: 8 }, () => ledger.send(served, 1000)));
  for (let start = 0; start < STARTS; start++) {
    const importing = Array.from({ length: 8 }, async () => {
      while ((await ledger.send(served, 500))?.status === 202);
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await served.kill();
    await Promise.all(importing);
    const began = performance.now();
    served = await serve(built, { home, database });
    const reply = await ledger.send(served, 1);
    times.push(performance.now() - began);
    if (reply?.status !== 202) throw new Error(`the first answer was ${reply?.status}`);
  }
  await served.stop();
  times.sort((a, b) => a - b);
  const mb = Math.round(statSync(database).size / 1e6);
  console.log(
    `${ledger.events.toLocaleString('en')} events, ${mb} MB: from start to the first 2xx ` +
      `median ${Math.round(times[Math.floor(times.length / 2)]!)} ms, worst ${Math.round(times.at(-1)!)} ms of ${STARTS}`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
