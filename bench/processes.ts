/**
 * Measures decisions of one process and of `--processes N` on PostgreSQL: requests a second, requests per CPU-second of
 * the service, and the share of each process. On few cores only the second figure can be compared: the generator and the
 * database use the same cores. `npm run bench -- bench/processes.ts [SECONDS] [ROUNDS] [PROCESSES] [RATE]` after
 * `npm run build`.
 *
 * Without RATE, the same clients ask as fast as they can, so that each of N processes gets a part of what one gets, and
 * wakes for fewer requests at a time. With RATE, every process gets as many clients and RATE requests a second: what
 * differs is what processes cost.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'undici';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';
import { type Served, serve } from './support/serve.ts';

/** Connections of all processes together; with RATE, of each process. */
const CONNECTIONS = 16;
const seconds = Number(process.argv[2] ?? 10);
const rounds = Number(process.argv[3] ?? 3);
const processes = Number(process.argv[4] ?? 2);
const rate = Number(process.argv[5] ?? 0);
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Returns the CPU-seconds that each process of a service has used (Linux): itself, then its children. */
function cpuOf(pid: number): number[] {
  const children = execFileSync('sh', ['-c', `cat /proc/${pid}/task/*/children`], { encoding: 'utf8' });
  return [pid, ...children.split(/\s+/).filter(Boolean).map(Number)].map((each) => {
    const stat = readFileSync(`/proc/${each}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(stat[11]) + Number(stat[12])) / TICKS;
  });
}

/** Decisions that each process answers before it is measured: V8 compiles the service in each of them. */
const WARM_UP = 3000;

/** Asks for decisions until `until`, one every `everyMs` or as fast as it can. Returns how many were answered. */
async function ask(client: Client, { headers }: Served, until: number, everyMs: number) {
  let due = performance.now() + Math.random() * everyMs;
  let count = 0;
  while (performance.now() < until) {
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    due += everyMs;
    const body = JSON.stringify({ hashId: `user-${Math.floor(Math.random() * 10_000)}` });
    const answer = await client.request({ method: 'POST', path: '/v1/decisioning/decide', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${text}`);
    count++;
  }
  return count;
}

/** All clients ask, for `ms`. */
async function load(clients: readonly Client[], ready: Served, ms: number, everyMs: number) {
  const until = performance.now() + ms;
  const counts = await Promise.all(clients.map((client) => ask(client, ready, until, everyMs)));
  return counts.reduce((sum, count) => sum + count, 0);
}

const server = await startPostgres({ durable: true });
try {
  const database = await createDatabase(server.admin);
  for (let round = 0; round < rounds; round++)
    for (const flags of [[], ['--processes', String(processes)]]) {
      const ready = await serve({ database, home: dir, flags });
      const running = flags.length > 0 ? processes : 1;
      const clients = Array.from(
        { length: CONNECTIONS * (rate > 0 ? running : 1) },
        () => new Client(ready.url),
      );
      // Compiled code and warm caches first.
      for (let answered = 0; answered < WARM_UP * running; ) answered += await load(clients, ready, 1000, 0);
      const before = cpuOf(ready.pid);
      const requests = await load(clients, ready, seconds * 1000, rate > 0 ? (CONNECTIONS * 1000) / rate : 0);
      const used = cpuOf(ready.pid).map((cpu, i) => cpu - before[i]!);
      const total = used.reduce((sum, cpu) => sum + cpu, 0);
      console.log(
        `${(flags.join(' ') || 'one process').padEnd(14)} ${Math.round(requests / seconds)} requests/s   ${Math.round(requests / total)} per CPU-second   CPU-seconds: ${used.map((cpu) => cpu.toFixed(1)).join(', ')}`,
      );
      await Promise.all(clients.map((client) => client.destroy()));
      await ready.stop();
    }
} finally {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
