import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { startReceiver } from '../../peers/receiver.ts';
import { type Served, serve } from '../../process/served.ts';
import type { SvcProgram } from '../../process/svc-process.ts';
import { bystander, type Waited } from '../bystander.ts';
import { cpuSeconds, DATA_KEY, peakMegabytes, type SeasonedSize, season, seasonedCatalog } from './data.ts';

export interface SeasonedReport {
  /** Cores, memory and Node version, without which the durations mean little. */
  readonly machine: string;
  /** CPU time of the service for a decision of the bystander while nothing else is read, in ms. */
  readonly cpuPerDecide: number;
  /** Time to write the data, and of each way to read it, in seconds. */
  readonly seasonSeconds: number;
  readonly readSeconds: Readonly<Record<string, number>>;
  /** Durations of the bystander's decisions during all other reads, in ms. */
  readonly decides: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** The slowest decision during each read. */
  readonly slowestDuring: Readonly<Record<string, number>>;
  /** The peak memory of the service and of the export, in MB. */
  readonly serviceMegabytes: number;
  readonly exportMegabytes: number;
  /** The largest answer of each read, in bytes, and the number of answers. */
  readonly pages: Readonly<Record<string, { largest: number; count: number }>>;
  readonly streamed: { readonly events: number; readonly bytes: number };
  readonly exported: { readonly lines: number; readonly bytes: number };
  /** Deliveries of one outcome, by subscription. */
  readonly delivered: number;
  readonly faults: readonly string[];
}

/** Reads everything in a large store in every possible way while a bystander requests decisions. */
export async function readSeasoned(
  program: SvcProgram,
  database: string,
  home: string,
  size: SeasonedSize,
): Promise<SeasonedReport> {
  mkdirSync(home, { recursive: true });
  const receiver = await startReceiver();
  const limits = ['ingest', 'inform', 'decisions', 'reads', 'webhooks'];
  const catalog = seasonedCatalog(join(home, 'catalog.json'), size.contents);
  const start = () =>
    serve(program, {
      database,
      home,
      argv: [
        ...limits.flatMap((group) => ['--limit', `${group}=off`]),
        ...['--allow-loopback-webhooks', '--catalog', catalog],
      ],
      shell: `export SVC_DATA_KEY=${DATA_KEY}; exec "$@"`,
    });
  let service = await start();
  const faults: string[] = [];
  try {
    const users = { users: [{ userId: 'hot' }, { userId: 'bystander' }] };
    const [hot, someone] = JSON.parse((await service.send('/v1/users', users))!.text).users;
    const bystanderHash: string = someone.hashId;
    const { workspace, apiKey } = service;
    await service.stop();
    const seasoning = Date.now();
    await season(database, size, { workspace, hotHash: hot.hashId, url: receiver.url });
    const seasonSeconds = Math.round((Date.now() - seasoning) / 1000);
    service = { ...(await start()), workspace, apiKey };
    const api = clientOf(service);
    const decide = () => api.post('/v1/decisioning/decide', { hashId: bystanderHash });
    // The first decisions compile the engine.
    for (let i = 0; i < 50; i++) await decide();
    const cpuBefore = cpuSeconds(service.pid);
    for (let i = 0; i < 100; i++) await decide();
    const cpuPerDecide = Math.round((cpuSeconds(service.pid) - cpuBefore) * 100) / 10;

    const pages: Record<string, { largest: number; count: number }> = {};
    const exported = { lines: 0, bytes: 0, megabytes: 0 };
    let streamed = { events: 0, bytes: 0 };
    const phases: [name: string, from: number][] = [];
    const other = bystander(service, bystanderHash);
    let waited: Waited[] = [];
    try {
      const total = size.bigEvents + size.hotEvents;
      phases.push(['stream', Date.now()]);
      streamed = await readStream(service, total);
      phases.push(['decisions', Date.now()]);
      pages.decisions = await follow(api, '/v1/decisions', 'decisions', size.decisions + size.wideDecisions);
      phases.push(['lists', Date.now()]);
      pages.webhooks = await follow(api, '/v1/webhooks', 'webhooks', size.subscriptions);
      const lists = '/v1/webhooks/wh_seasoned0/deliveries';
      pages.deliveries = await follow(api, lists, 'deliveries', size.deliveries);
      pages.messages = await follow(api, `/v1/messages?hashId=${hot.hashId}`, 'messages', size.messages);
      phases.push(['outcome', Date.now()]);
      const { decisionId } = JSON.parse(
        (await api.post('/v1/decisioning/decide', { hashId: hot.hashId })).text,
      );
      await api.post(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
      await receiver.waitFor(size.subscriptions);
      phases.push(['export', Date.now()]);
      Object.assign(exported, await exportAll(program, database, home));
    } finally {
      waited = await other.stop();
    }
    const ended = Date.now();
    const serviceMegabytes = peakMegabytes(service.pid);
    const readSeconds = Object.fromEntries(
      phases.map(([name, from], i) => [name, Math.round(((phases[i + 1]?.[1] ?? ended) - from) / 100) / 10]),
    );
    const slowestDuring: Record<string, number> = {};
    for (const [at, ms, status] of waited) {
      const during = phases.findLast(([, from]) => from <= at)?.[0] ?? 'start';
      slowestDuring[during] = Math.max(slowestDuring[during] ?? 0, Math.round(ms));
      if (status !== 200) faults.push(`decide: ${status}`);
    }
    const took = waited.map(([, ms]) => ms).sort((a, b) => a - b);
    const at = (share: number) => Math.round(took[Math.floor((took.length - 1) * share)]!);
    const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
    return {
      machine: `${cpus().length} cores (${cpus()[0]!.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      cpuPerDecide,
      seasonSeconds,
      readSeconds,
      decides: took.length,
      p50: at(0.5),
      p99: at(0.99),
      slowest: at(1),
      slowestDuring,
      serviceMegabytes: Math.round(serviceMegabytes),
      exportMegabytes: Math.round(exported.megabytes),
      pages,
      streamed,
      exported: { lines: exported.lines, bytes: exported.bytes },
      delivered: new Set(ids).size,
      faults,
    };
  } finally {
    await service.stop();
    await receiver.close();
  }
}

interface Api {
  get(path: string): Promise<{ status: number; text: string }>;
  post(path: string, body: unknown): Promise<{ status: number; text: string }>;
}

function clientOf(service: Served): Api {
  const ask = async (path: string, init: RequestInit) => {
    const answer = await fetch(service.url + path, { ...init, headers: headersOf(service) });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    get: (path) => ask(path, {}),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

const headersOf = ({ apiKey, workspace }: Served) => ({
  authorization: `Bearer ${apiKey}`,
  'x-service-workspace': workspace,
  'content-type': 'application/json',
});

/** Follows `next` to the end. Throws if an item is missing or appears twice. */
async function follow(api: Api, path: string, list: string, expected: number) {
  const seen = new Set<string>();
  let largest = 0;
  let count = 0;
  for (let after: string | undefined; ; ) {
    const query = after === undefined ? '' : `${path.includes('?') ? '&' : '?'}after=${after}`;
    const { status, text } = await api.get(path + query);
    if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 200)}`);
    largest = Math.max(largest, text.length);
    count++;
    const body = JSON.parse(text);
    for (const entry of body[list])
      seen.add(entry.deliveryId ?? entry.decisionId ?? entry.id ?? digest(entry));
    // The bystander adds decisions meanwhile; they are ignored.
    if (typeof body.next !== 'string' || seen.size >= expected) break;
    after = body.next as string;
  }
  if (seen.size < expected) throw new Error(`${path}: ${seen.size} of ${expected} received`);
  return { largest, count };
}

const digest = (entry: unknown) => createHash('sha256').update(JSON.stringify(entry)).digest('hex');

async function readStream(service: Served, total: number): Promise<{ events: number; bytes: number }> {
  const answer = await fetch(`${service.url}/v1/events/stream`, {
    headers: { ...headersOf(service), 'last-event-id': '0' },
  });
  let events = 0;
  let bytes = 0;
  let tail = '';
  for await (const chunk of answer.body!) {
    bytes += chunk.length;
    // Only an event has its id at the start of a line.
    const text = tail + Buffer.from(chunk).toString('latin1');
    events += text.split('\nevent: event\n').length - 1;
    tail = text.slice(-13);
    if (events >= total) break;
  }
  return { events, bytes };
}

/** Pipes the export into a counter, because it is gigabytes in size. */
async function exportAll(program: SvcProgram, database: string, home: string) {
  const peak = join(home, 'export-peak');
  const { ended } = program.start(['data', 'export', '--database', database], {
    env: { PATH: process.env.PATH!, HOME: home },
    cwd: home,
    shell: `("$@" & pid=$!; while kill -0 $pid 2>/dev/null; do
      grep VmHWM /proc/$pid/status >> ${peak} 2>/dev/null; sleep 0.05; done; wait $pid; echo $? >&2) | wc -lc`,
  });
  const { stdout, stderr } = await ended;
  const [lines, bytes] = stdout.trim().split(/\s+/).map(Number);
  if (lines === undefined || bytes === undefined || !/\n0\n$/.test(stderr))
    throw new Error(`export: ${stdout} ${stderr}`);
  const kilobytes = [...readFileSync(peak, 'utf8').matchAll(/(\d+) kB/g)].map((match) => Number(match[1]));
  return { lines, bytes, megabytes: Math.max(...kilobytes) / 1024 };
}
