/**
 * Measures the watch of live events (`watchEvents`) while `svc serve` on SQLite takes in 80,000 events a second, or as many
 * as can be sustained: a batch in five ends with a marked event, and the watch filters by the mark. Prints the events/s,
 * the time from the request that sends a marked event, and from its receipt by the service, to its frame at the client, and
 * with `--page` to its row on the console's page in Chromium; the memory of the service over time; and whether every marked event that was acknowledged
 * arrived once, though the service is killed and started again half way.
 * With `--page` also how many frames of the page were late, and before that how long views take from the request to the
 * first paint, which shows what is being loaded, and to their data; with `--all` for a page that shows every event.
 * `npm run bench -- bench/console-live.ts [SECONDS] [RATE] [--page] [--all]` after `npm run build`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { readServerSentEvents } from '../src/client/sse.ts';
import type { WatchFrame } from '../src/contract/schemas/events.ts';
import { type WatchedPage, watchedPage } from '../test/support/console/watched-page.ts';

const numbers = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const seconds = Number(numbers[0] ?? 60);
const rate = Number(numbers[1] ?? 80_000);
const withPage = process.argv.includes('--page');
const BATCH = 1000;
const SENDERS = 8;
const MARK_EVERY = 5;
const MEMORY_EVERY_MS = 5000;
const LOADS = 20;
/** With `--all` the watch and the page have no filter, and show every event as far as they can. */
const FILTER = process.argv.includes('--all') ? '' : 'mark:yes';
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));

async function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['bin/run.js', ...args, '--json'], {
    env: { PATH: process.env.PATH, HOME: dir, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  // Also where this program fails.
  process.on('exit', () => child.kill('SIGKILL'));
  return { child, ready: JSON.parse(line) as Record<string, string> };
}
const serve = (port: string) =>
  start([
    'serve',
    '--log-level',
    'warn',
    '--port',
    port,
    '--limit',
    'ingest=off',
    '--limit',
    'reads=off',
    '--database',
    join(dir, 'x.db'),
  ]);
const memoryOf = ({ pid }: ChildProcess) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let { child, ready } = await serve('0');
const { url, workspace, apiKey } = ready as Record<'url' | 'workspace' | 'apiKey', string>;
const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
const dispatcher = new Agent({ connections: SENDERS + 2 });

/** When each marked event was sent, and received by the service, in ms since 1970. */
const sent = new Map<string, number>();
const received = new Map<string, number>();
const acknowledged = new Set<string>();
const arrived = new Map<string, number[]>();
let stored = 0;
let running = true;
const filler = Array.from(
  { length: BATCH - 1 },
  (_, n) =>
    `{"userId":"user-${n}","event":"page_viewed","timestamp":"2026-01-31T12:00:00Z","properties":{"page":"/products/${n}","price":${n / 100},"member":true,"ref":"mail"}}`,
).join(',');

async function send(): Promise<void> {
  let turn = 0;
  const began = performance.now();
  const next = async (sender: number) => {
    while (running) {
      const nth = turn++;
      const ahead = began + (nth * BATCH * 1000) / rate - performance.now();
      if (ahead > 0) await wait(ahead);
      const marked = nth % MARK_EVERY === 0 ? `mark-${nth}` : undefined;
      const last = `{"userId":"${marked ?? `s${sender}`}","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"mark":"${marked ? 'yes' : 'no'}"${marked ? `,"seq":"${marked}"` : ''}}}`;
      if (marked) sent.set(marked, Date.now());
      try {
        const answer = await request(`${url}/v1/events`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: `{"events":[${filler},${last}]}`,
          dispatcher,
        });
        await answer.body.dump();
        if (answer.statusCode !== 202) continue;
        stored += BATCH;
        if (marked) acknowledged.add(marked);
      } catch {
        // The service is down: a lost batch is not acknowledged, and not sent again.
        await wait(100);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => next(sender)));
}

const counts = { received: 0, shown: 0, untested: 0, gaps: 0, resumed: -1 };
const stop = new AbortController();
async function watch(): Promise<void> {
  let last = '';
  while (!stop.signal.aborted) {
    try {
      const answer = await request(`${url}/v1/events/watch?filter=${FILTER}`, {
        headers: { ...headers, ...(last === '' ? {} : { 'last-event-id': last }) },
        signal: stop.signal,
        bodyTimeout: 0,
      });
      counts.resumed++;
      for await (const { id, data } of readServerSentEvents(answer.body)) {
        last = id;
        const frame = JSON.parse(data!) as WatchFrame;
        if (frame.type === 'event') {
          if (!sent.has(frame.userId)) continue;
          received.set(frame.userId, Date.parse(frame.receivedAt));
          arrived.set(frame.userId, [...(arrived.get(frame.userId) ?? []), Date.now()]);
        } else if (frame.type === 'gap') counts.gaps++;
        else if (frame.type === 'tick')
          for (const name of ['received', 'shown', 'untested'] as const) counts[name] += frame[name];
      }
    } catch {
      await wait(50);
    }
  }
}

/** Records on the page itself when the row of a marked event appears. */
const OBSERVE = `globalThis.seen = {};
new MutationObserver(() => {
  for (const { textContent } of document.querySelectorAll('.events td:last-child')) {
    const mark = /mark-\\d+/.exec(textContent)?.[0];
    if (mark) globalThis.seen[mark] ??= Date.now();
  }
}).observe(document.body, { subtree: true, childList: true, characterData: true });
globalThis.frames60 = { all: 0, late: 0, longest: 0 };
const measure = (before) => requestAnimationFrame((now) => {
  const ms = now - before;
  globalThis.frames60.all++;
  if (ms > 34) globalThis.frames60.late++;
  globalThis.frames60.longest = Math.max(globalThis.frames60.longest, ms);
  measure(now);
});
measure(performance.now());`;

/** Loads each of three views again and again, and prints when something and when all of it was there. */
async function printPaints({ page, go }: WatchedPage): Promise<void> {
  for (const view of ['/overview', '/live', '/decisions']) {
    const [paints, filled]: [number[], number[]] = [[], []];
    for (let load = 0; load < LOADS; load++) {
      await go(view);
      const times = (await page.evaluate(`new Promise((resolve) => {
        const look = () => {
          const paint = performance.getEntriesByName('first-contentful-paint')[0];
          if (!paint || document.querySelector('.skeleton')) return requestAnimationFrame(look);
          resolve([paint.startTime, performance.now()]);
        };
        look();
      })`)) as [number, number];
      paints.push(times[0]);
      filled.push(times[1]);
    }
    const words = (times: number[]) => {
      const sorted = times.sort((a, b) => a - b);
      return `P50 ${Math.round(sorted[LOADS / 2]!)} ms, the longest ${Math.round(sorted.at(-1)!)} ms`;
    };
    console.log(`${view} ${LOADS} loads   first paint ${words(paints)}   data ${words(filled)}`);
  }
}

async function openPage() {
  const svc = await start(['console'], { SVC_BASE_URL: url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey });
  const watched = await watchedPage(svc.ready.url!, []);
  await printPaints(watched);
  await watched.go(`/live?filter=${FILTER}`);
  await watched.page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  await watched.page.evaluate(OBSERVE);
  return { ...watched, svc };
}

/** Prints how long marked events took to a place, from two points on. */
function print(place: string, marks: readonly string[], shownAt: (mark: string) => number | undefined): void {
  for (const [from, times] of [
    ['sending', sent],
    ['receipt', received],
  ] as const) {
    const sorted = marks
      .flatMap((mark) => {
        const [end, begin] = [shownAt(mark), times.get(mark)];
        return end === undefined || begin === undefined ? [] : [end - begin];
      })
      .sort((a, b) => a - b);
    if (sorted.length === 0) continue;
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    console.log(
      `from ${from} to the ${place.padEnd(6)} ${sorted.length} marked events   P50 ${at(0.5)} ms   P95 ${at(0.95)} ms   P99 ${at(0.99)} ms`,
    );
  }
}

const page = withPage ? await openPage() : undefined;
const watching = watch();
while (counts.resumed < 0) await wait(10);
const sending = send();
const memory: string[] = [];
/** Marked events that were sent while the service was stopped or had just started are not timed. */
let untimed = [0, 0];
const half = (seconds * 1000) / 2;
const measured = async () => {
  for (let passed = 0; passed < half; passed += MEMORY_EVERY_MS) {
    await wait(Math.min(MEMORY_EVERY_MS, half - passed));
    memory.push(memoryOf(child).toFixed(0));
  }
};
await measured();
const before = stored;
const killedAt = Date.now();
child.kill('SIGKILL');
await once(child, 'exit');
({ child, ready } = await serve(new URL(url).port));
untimed = [killedAt - 1000, Date.now() + 3000];
await measured();
running = false;
await sending;
const until = Date.now() + 30_000;
// Without a filter what is shown is a sample, in which a marked event need not be.
if (FILTER === '') acknowledged.clear();
while ([...acknowledged].some((mark) => !arrived.has(mark)) && Date.now() < until) await wait(50);

const timed = [...acknowledged].filter(
  (mark) => sent.get(mark)! < untimed[0]! || sent.get(mark)! > untimed[1]!,
);
console.log(
  `${Math.round(before / (seconds / 2)).toLocaleString('en')} events/s stored of ${rate.toLocaleString('en')} offered; ${counts.received.toLocaleString('en')} counted by the watch, ${counts.untested} untested`,
);
print('client', timed, (mark) => arrived.get(mark)?.[0]);
if (page) {
  const seen = (await page.page.evaluate('globalThis.seen')) as Record<string, number>;
  print('page', timed, (mark) => seen[mark]);
  const { all, late, longest } = (await page.page.evaluate('globalThis.frames60')) as Record<string, number>;
  console.log(
    `frames of the page: ${all}, ${late} of them took longer than two of 60 a second, the longest ${Math.round(longest!)} ms; ${counts.shown} events shown of ${counts.received}`,
  );
}
const lost = [...acknowledged].filter((mark) => !arrived.has(mark)).length;
const doubled = [...arrived.values()].filter((times) => times.length > 1).length;
console.log(
  `resumed ${counts.resumed} times: of ${acknowledged.size} acknowledged marked events ${lost} are missing, ${doubled} came twice, ${counts.gaps} gaps`,
);
console.log(`memory of the service in MB, every 5 s: ${memory.join(' ')}`);
stop.abort();
await watching;
await page?.close();
page?.svc.child.kill('SIGTERM');
child.kill('SIGTERM');
await once(child, 'exit');
rmSync(dir, { recursive: true, force: true });
process.exit(lost + doubled + counts.gaps === 0 ? 0 : 1);
