/**
 * Measures how many distinct, verified deliveries per second `svc webhooks listen --json` accepts, and its memory over
 * time. The load (autocannon, in this process, signing every delivery) shares the machine's cores.
 * `npm run bench -- bench/listen-throughput.ts [seconds] [connections]`. Memory is read from /proc: Linux only.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { signedHeaders } from '../src/contract/signed-headers.ts';

const SECONDS = Number(process.argv[2] ?? 30);
const CONNECTIONS = Number(process.argv[3] ?? 16);
const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const output = join(folder, 'events.ndjson');
const child = spawn(process.execPath, ['bin/run.js', 'webhooks', 'listen', '--port', '0', '--json'], {
  stdio: ['ignore', openSync(output, 'w'), 'inherit'],
  env: { PATH: process.env.PATH, HOME: folder, SVC_WEBHOOK_SECRET: SECRET },
});

try {
  const url = await ready();
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMiB()), 1000);
  let n = 0;
  const cpuBefore = cpuSeconds();
  const load = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => {
          const id = `dlv_${n++}`;
          const body = Buffer.from(
            `{"type":"campaign.clicked","decisionId":"dec_${n}","contentId":"summer-sale","hashId":"9f86d081884c7d65","deliveryId":"${id}","occurredAt":"2026-01-31T12:00:00.000Z"}`,
          );
          return { ...request, body, headers: signedHeaders(id, Date.now(), body, [SECRET]) };
        },
      },
    ],
  });
  clearInterval(sampling);
  const cpu = cpuSeconds() - cpuBefore;
  child.kill('SIGINT');
  await new Promise((resolve) => child.once('exit', resolve));
  report(load, memory, cpu);
} finally {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function ready(): Promise<string> {
  for (;;) {
    const [line, rest] = readFileSync(output, 'utf8').split('\n');
    if (rest !== undefined) return (JSON.parse(line as string) as { url: string }).url;
    await sleep(20);
  }
}

function residentMiB(): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Returns the CPU time of the listener in seconds, from clock ticks of 10 ms. */
function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function report(load: autocannon.Result, memory: number[], cpu: number): void {
  let verified = 0;
  let duplicates = 0;
  for (const line of readFileSync(output, 'utf8').split('\n')) {
    if (line.includes('"verified":true')) verified++;
    if (line.includes('"duplicate":true')) duplicates++;
  }
  const third = Math.floor(memory.length / 3);
  const mean = (values: number[]) => Math.round(values.reduce((a, b) => a + b, 0) / values.length);
  console.log(
    JSON.stringify(
      {
        cores: cpus().length,
        seconds: SECONDS,
        connections: CONNECTIONS,
        answered2xx: load['2xx'],
        otherAnswers: load.non2xx + load.errors,
        verifiedPerSecond: Math.round(verified / SECONDS),
        verifiedPerCpuSecond: Math.round(verified / cpu),
        lines: { verified, duplicates },
        latencyMs: { p50: load.latency.p50, p99: load.latency.p99 },
        residentMiB: {
          firstThird: mean(memory.slice(0, third)),
          middleThird: mean(memory.slice(third, 2 * third)),
          lastThird: mean(memory.slice(2 * third)),
          most: Math.round(Math.max(...memory)),
        },
        outputMiB: Math.round(statSync(output).size / 2 ** 20),
      },
      null,
      2,
    ),
  );
}
