/**
 * Measures decisions of one process and of `--processes N` on PostgreSQL: requests a second, requests per CPU-second of
 * the service, and the share of each process. On few cores only the second figure can be compared: the generator and the
 * database use the same cores. `npm run bench -- bench/processes.ts [SECONDS] [ROUNDS] [PROCESSES]` after `npm run build`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';

const CONNECTIONS = 16;
const seconds = Number(process.argv[2] ?? 10);
const rounds = Number(process.argv[3] ?? 3);
const processes = process.argv[4] ?? '2';
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
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  return { child, ready: JSON.parse(line) as { url: string; apiKey: string; workspace: string } };
}

/** Decisions that each process answers before it is measured: V8 compiles the service in each of them. */
const WARM_UP = 3000;

/** Asks for decisions until `until`. Returns how many were answered. */
async function ask(
  pool: Pool,
  { workspace, apiKey }: { workspace: string; apiKey: string },
  until: number,
): Promise<number> {
  let count = 0;
  while (performance.now() < until) {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'x-service-workspace': workspace,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ hashId: `user-${Math.floor(Math.random() * 10_000)}` });
    const answer = await pool.request({ method: 'POST', path: '/v1/decisioning/decide', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${text}`);
    count++;
  }
  return count;
}

async function load(pool: Pool, ready: Awaited<ReturnType<typeof serve>>['ready'], ms: number) {
  const until = performance.now() + ms;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(pool, ready, until)));
  return counts.reduce((sum, count) => sum + count, 0);
}

const server = await startPostgres({ durable: true });
try {
  const database = await createDatabase(server.admin);
  for (let round = 0; round < rounds; round++)
    for (const flags of [[], ['--processes', processes]]) {
      const { child, ready } = await serve(database, flags);
      const pool = new Pool(ready.url, { connections: CONNECTIONS });
      // Compiled code and warm caches first.
      const wanted = WARM_UP * (flags.length > 0 ? Number(processes) || 1 : 1);
      for (let answered = 0; answered < wanted; ) answered += await load(pool, ready, 1000);
      const before = cpuOf(child.pid!);
      const requests = await load(pool, ready, seconds * 1000);
      const used = cpuOf(child.pid!).map((cpu, i) => cpu - before[i]!);
      const total = used.reduce((sum, cpu) => sum + cpu, 0);
      console.log(
        `${(flags.join(' ') || 'one process').padEnd(14)} ${Math.round(requests / seconds)} requests/s   ${Math.round(requests / total)} per CPU-second   CPU-seconds: ${used.map((cpu) => cpu.toFixed(1)).join(', ')}`,
      );
      await pool.destroy();
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
} finally {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
