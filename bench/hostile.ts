/**
 * Measures the latency of POST /v1/decisioning/decide and the memory of `svc serve` under hostile requests of all kinds
 * (test/support/scenarios/hostile-requests.ts) and 500 slow sockets, for docs/guarantees.md.
 * `npm run build && npm run bench -- bench/hostile.ts [seconds]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../test/support/process/served.ts';
import { storm } from '../test/support/scenarios/hostile-storm.ts';
import { benchProgram } from './bench-program.ts';

const seconds = Number(process.argv[2] ?? 30);
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const program = benchProgram();
try {
  const served = await serve(program, { home, database: join(home, 'storm.db') });
  const quiet = await storm(served, Math.min(10, seconds), 0, 0);
  console.log(`alone: ${quiet.decisions} decisions  P50 ${quiet.p50} ms  P99 ${quiet.p99} ms`);
  const { hostile, faults, decisions, p50, p99, worst, memoryBefore, memoryMax } = await storm(
    served,
    seconds,
  );
  console.log(
    `beside ${hostile} hostile requests and 500 slow sockets: ${decisions} decisions  P50 ${p50} ms  P99 ${p99} ms  ` +
      `worst ${worst} ms  memory ${memoryBefore} MB, at most ${memoryMax} MB  wrong answers ${faults.length}`,
  );
  await served.stop();
} finally {
  program.release();
  rmSync(home, { recursive: true, force: true });
}
