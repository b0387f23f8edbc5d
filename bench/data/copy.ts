/**
 * Copies a workspace between the engines: EVENTS events (default 1 million) of EVENTS / 10 users and as many decisions as
 * a hundredth of them, each with a message that was tapped and a delivered webhook, from SQLite into PostgreSQL, from there into another SQLite file, and into a backup. Prints rows/s
 * and the CPU of this process, each with the comparison of both sides, and the largest memory of the process; beside it how
 * fast the same server writes the same rows from its own files, without a client, a source or a comparison: the most that
 * this machine allows. `npm run bench -- bench/data/copy.ts [EVENTS]`.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/kit/clock.ts';
import { tcpListen } from '../../src/kit/tcp-listen.ts';
import { backupData, copyData } from '../../src/service/admin/data.ts';
import { copiedTables } from '../../src/service/copy/tables.ts';
import { migrateStore } from '../../src/service/platform/open.ts';
import { startService } from '../../src/service/start.ts';
import { createDatabase, startPostgres } from '../../test/support/postgres/postgres.ts';

const events = Number(process.argv[2] ?? 1_000_000);
const users = Math.ceil(events / 10);
const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const OFF = { ingest: null, inform: null, decisions: null, reads: null, webhooks: null };
const BATCH = 1000;

console.log(`${cpus().length} cores (${cpus()[0]!.model}), Node ${process.version}`);
const file = join(dir, 'source.db');
const service = await startService({
  database: file,
  dataDir: dir,
  port: 0,
  limits: OFF,
  onThisMachine: true,
});
const receiver = createServer((incoming, answer) => {
  incoming.resume().on('end', () => answer.writeHead(204).end());
});
const receiverPort = await tcpListen(receiver, '127.0.0.1', 0);
const send = async (path: string, body: object) => {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      'x-service-workspace': service.workspace,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const text = await answer.text();
  return (text && JSON.parse(text)) as { users?: { hashId: string }[]; decisionId?: string };
};
const hashIds: string[] = [];
for (let from = 0; from < users; from += BATCH) {
  const some = Array.from({ length: Math.min(BATCH, users - from) }, (_, i) => ({
    userId: `user-${from + i}`,
    emails: [`user-${from + i}@example.com`],
    traits: { plan: i % 3 ? 'free' : 'pro' },
  }));
  const made = await send('/v1/users', { users: some });
  hashIds.push(...made.users!.map(({ hashId }) => hashId));
}
for (let from = 0; from < events; from += BATCH)
  await send('/v1/events', {
    events: Array.from({ length: Math.min(BATCH, events - from) }, (_, i) => ({
      userId: `user-${(from + i) % users}`,
      event: 'page_viewed',
      timestamp: '2026-01-15T12:30:00Z',
      properties: { page: `/products/${from + i}`, price: ((from + i) % 1000) / 100, member: i % 2 === 0 },
    })),
  });
await send('/v1/webhooks', {
  url: `http://127.0.0.1:${receiverPort}/`,
  events: ['campaign.clicked'],
  signingSecret: 'a secret for the measurement',
});
for (let n = 0; n < events / 100; n++) {
  const { decisionId } = await send('/v1/decisioning/decide', {
    hashId: hashIds[n % hashIds.length],
    context: { channel: 'in-app', surface: 'home' },
  });
  await send(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
}
while (!(await service.idle())) await systemClock.sleep(100);
await service.close();
receiver.close();

const postgres = await startPostgres();
try {
  const database = await createDatabase(postgres.admin);
  const place = (name: string, folder: string) => ({
    database: name,
    dataDir: join(dir, folder),
    dataKey: undefined,
  });
  const options = {
    workspaces: [],
    freeze: false,
    opens: true,
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const timed = async (name: string, work: () => Promise<{ rows: number }>) => {
    const start = performance.now();
    const before = process.cpuUsage();
    const { rows } = await work();
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(before);
    console.log(
      `${name}: ${rows.toLocaleString('en-US')} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds).toLocaleString('en-US')} rows/s, ${((user + system) / rows).toFixed(1)} µs of CPU a row here`,
    );
  };
  const source = { ...place(file, '.'), dataDir: dir };
  await timed('SQLite to PostgreSQL', () => copyData(source, place(database, 'a'), options));
  const again = await createDatabase(postgres.admin);
  await migrateStore(again, systemClock);
  const [full, empty] = [database, again].map((url) => new pg.Client({ connectionString: url }));
  await Promise.all([full!.connect(), empty!.connect()]);
  const tables = copiedTables().map(({ name }) => ({ name, rows: join(postgres.data, `${name}.rows`) }));
  for (const { name, rows } of tables) await full!.query(`COPY (SELECT * FROM ${name}) TO '${rows}'`);
  const rowsOf = new Map<string, number>();
  await timed('PostgreSQL alone, COPY from files', async () => {
    for (const { name, rows } of tables)
      rowsOf.set(name, (await empty!.query(`COPY ${name} FROM '${rows}'`)).rowCount ?? 0);
    return { rows: [...rowsOf.values()].reduce((sum, rows) => sum + rows) };
  });
  const largest = [...rowsOf].sort(([, a], [, b]) => b - a).slice(0, 7);
  console.log(
    `of these ${largest.map(([name, rows]) => `${name} ${rows.toLocaleString('en-US')}`).join(', ')}`,
  );
  await Promise.all([full!.end(), empty!.end()]);
  await timed('PostgreSQL to SQLite', () =>
    copyData(place(database, 'a'), place(join(dir, 'back.db'), 'a'), options),
  );
  const backup = join(dir, 'svc.backup');
  await timed('backup of SQLite', () => backupData(source, backup, '0', options));
  console.log(
    `source ${(statSync(file).size / 1e6).toFixed(0)} MB, backup ${(statSync(backup).size / 1e6).toFixed(0)} MB`,
  );
  console.log(`largest memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
