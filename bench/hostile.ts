/**
 * How long POST /v1/decisioning/decide takes, and how much memory `svc serve` takes, while hostile clients do all they
 * can at once (test/support/scenarios/hostile-requests.ts) beside 500 slow sockets: the figures of docs/guarantees.md.
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
