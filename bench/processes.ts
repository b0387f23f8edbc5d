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
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'undici';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';

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

async function serve(database: string, flags: readonly string[]) {
  const args = [
    'bin/run.js',
    'serve',
    '--port',
    '0',
    '--json',
    '--limit',
    'decisions=off',
    '--database',
    database,
  ];
  const child: ChildProcess = spawn(process.execPath, [...args, ...flags], {
    env: { PATH: process.env.PATH, HOME: dir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The service ended with ${code}.`);
  });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended]);
  ended.catch(() => {});
  return { child, ready: JSON.parse(line) as Ready };
}

/** Decisions that each process answers before it is measured: V8 compiles the service in each of them. */
const WARM_UP = 3000;

interface Ready {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
}

/** Asks for decisions until `until`, one every `everyMs` or as fast as it can. Returns how many were answered. */
async function ask(client: Client, { workspace, apiKey }: Ready, until: number, everyMs: number) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-service-workspace': workspace,
    'content-type': 'application/json',
  };
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
async function load(clients: readonly Client[], ready: Ready, ms: number, everyMs: number) {
  const until = performance.now() + ms;
  const counts = await Promise.all(clients.map((client) => ask(client, ready, until, everyMs)));
  return counts.reduce((sum, count) => sum + count, 0);
}

const server = await startPostgres({ durable: true });
try {
  const database = await createDatabase(server.admin);
  for (let round = 0; round < rounds; round++)
    for (const flags of [[], ['--processes', String(processes)]]) {
      const { child, ready } = await serve(database, flags);
      const running = flags.length > 0 ? processes : 1;
      const clients = Array.from(
        { length: CONNECTIONS * (rate > 0 ? running : 1) },
        () => new Client(ready.url),
      );
      // Compiled code and warm caches first.
      for (let answered = 0; answered < WARM_UP * running; ) answered += await load(clients, ready, 1000, 0);
      const before = cpuOf(child.pid!);
      const requests = await load(clients, ready, seconds * 1000, rate > 0 ? (CONNECTIONS * 1000) / rate : 0);
      const used = cpuOf(child.pid!).map((cpu, i) => cpu - before[i]!);
      const total = used.reduce((sum, cpu) => sum + cpu, 0);
      console.log(
        `${(flags.join(' ') || 'one process').padEnd(14)} ${Math.round(requests / seconds)} requests/s   ${Math.round(requests / total)} per CPU-second   CPU-seconds: ${used.map((cpu) => cpu.toFixed(1)).join(', ')}`,
      );
      await Promise.all(clients.map((client) => client.destroy()));
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
} finally {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
