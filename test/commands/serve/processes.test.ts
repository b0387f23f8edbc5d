import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { coordinator } from '../../support/postgres/citus.ts';
import { freshDatabase, onPostgres } from '../../support/postgres/database.ts';
import { childrenOf } from '../../support/process/children.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { type Served, startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

const OFF = ['ingest', 'reads'].flatMap((group) => ['--limit', `${group}=off`]);

const runs = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const ended = (pids: readonly number[]) => vi.waitUntil(() => !pids.some(runs), { timeout: 100_000 });

async function start(...flags: string[]) {
  const home = tempDir();
  const database = await freshDatabase(home);
  const starting = startServing(await svcProgram(), {
    database,
    home,
    argv: ['--processes', '2', ...OFF, ...flags],
  });
  const served = await starting.ready;
  onTestFinished(async () => {
    await served.kill();
    await served.process.ended;
  });
  let stderr = '';
  served.process.child.stderr!.on('data', (text) => {
    stderr += text;
  });
  return { database, served, stderr: () => stderr };
}

/** Sends events until `stop`, each on a connection of its own and again until it is answered. */
function sendEvents({ send, url, workspace, apiKey }: Served) {
  const acknowledged: string[] = [];
  const answers = new Set<number | undefined>();
  let stopping = false;
  const sending = (async () => {
    for (let n = 0; !stopping; n++) {
      const userId = `user-${n}`;
      const body = { events: [{ userId, event: 'e', timestamp: '2026-01-01T00:00:00Z' }] };
      for (let status: number | undefined; status !== 202; answers.add(status)) {
        status = (await send('/v1/events', body, { 'idempotency-key': userId, connection: 'close' }))?.status;
        if (status === undefined) await sleep(5);
      }
      acknowledged.push(userId);
    }
  })();
  return {
    answers,
    acknowledged,
    stop: async () => {
      stopping = true;
      await sending;
      return { stored: await storedUsers(url, workspace, apiKey, acknowledged.length), acknowledged };
    },
  };
}

async function metricsOf({ line }: Served): Promise<string> {
  return (await fetch(JSON.parse(line).metricsUrl)).text();
}

/** The users of the first `count` events of the live stream. */
async function storedUsers(url: string, workspace: string, apiKey: string, count: number) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-service-workspace': workspace,
    'last-event-id': '0',
  };
  const abort = new AbortController();
  const answer = await fetch(`${url}/v1/events/stream`, { headers, signal: abort.signal });
  let text = '';
  const users = () => [...text.matchAll(/"userId":"([^"]+)"/g)].map(([, user]) => user!);
  const utf8 = new TextDecoder();
  for await (const chunk of answer.body!) {
    text += utf8.decode(chunk, { stream: true });
    if (users().length >= count) break;
  }
  abort.abort();
  return users();
}

it('processes share a port, are one in health and metrics, and all stop together', async () => {
  const { served, database } = await start('--metrics-port', '0');
  const members = childrenOf(served.pid);
  expect(members).toHaveLength(2);
  const load = sendEvents(served);
  await vi.waitUntil(() => load.acknowledged.length >= 40, { timeout: 100_000 });
  const { stored, acknowledged } = await load.stop();
  expect(stored).toEqual(acknowledged);
  expect([...load.answers]).toEqual([202]);

  const ready = JSON.parse(served.line);
  expect(ready).toMatchObject({ ready: true, processes: 2, pid: served.pid });
  const metrics = await metricsOf(served);
  expect(metrics).toContain(
    `svc_http_requests_total{endpoint="ingestEvents",status="202"} ${acknowledged.length}\n`,
  );
  expect(metrics).toContain('svc_log_lines_total{level="error"} 0\n');
  expect(metrics).toMatch(/^svc_store_up 1$/m);
  expect(await (await fetch(new URL('/readyz', ready.metricsUrl))).text()).toBe('ready\n');
  if (onPostgres) {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    const { rows } = await client.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svc'",
    );
    await client.end();
    // A node with one process has up to 11, and one more for each process where the database is distributed.
    expect(rows[0].n).toBeLessThanOrEqual(coordinator ? 14 : 12);
  }

  expect(await served.stop()).toBe(0);
  await ended(members);
});

it('a process that dies is replaced, which is reported, and nothing acknowledged is lost', async () => {
  const { served, stderr } = await start('--metrics-port', '0');
  const load = sendEvents(served);
  const before = childrenOf(served.pid);
  for (const [i, pid] of before.entries()) {
    await vi.waitUntil(() => load.acknowledged.length >= 20 * (i + 1), { timeout: 100_000 });
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => childrenOf(served.pid).length === 2 && !childrenOf(served.pid).includes(pid), {
      timeout: 100_000,
    });
    await vi.waitUntil(() => stderr().includes(`process ${pid} ended with SIGKILL`), { timeout: 100_000 });
  }
  const { stored, acknowledged } = await load.stop();
  expect(stored).toEqual(acknowledged);
  expect(childrenOf(served.pid).filter((pid) => before.includes(pid))).toEqual([]);
  expect(await metricsOf(served)).toContain('svc_log_lines_total{level="error"} 2\n');
});

it('says that a process cannot be replaced, and tries again', async () => {
  const faults = join(tempDir(), 'faults.json');
  writeFileSync(faults, '{"seed":"a","requests":[]}');
  const { served, stderr } = await start('--faults', faults);
  const [, other] = childrenOf(served.pid);
  renameSync(faults, `${faults}.away`);
  process.kill(other!, 'SIGKILL');
  const failed = 'a process of the service ended with 2 before it was ready';
  await vi.waitUntil(() => stderr().includes(failed), { timeout: 100_000 });
  renameSync(`${faults}.away`, faults);
  await vi.waitUntil(() => childrenOf(served.pid).length === 2, { timeout: 100_000 });
});

// On Windows there is no such signal.
if (process.platform !== 'win32')
  it('SIGHUP replaces all processes one after another, and no request fails', async () => {
    const { served, stderr } = await start();
    const load = sendEvents(served);
    const before = childrenOf(served.pid);
    served.process.child.kill('SIGHUP');
    await vi.waitUntil(() => stderr().includes('all processes were restarted'), { timeout: 100_000 });
    const { stored, acknowledged } = await load.stop();
    expect(stored).toEqual(acknowledged);
    expect([...load.answers]).toEqual([202]);
    const after = childrenOf(served.pid);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(stderr()).not.toContain('"error"');
  });

if (process.platform !== 'win32')
  it('a stop during a restart waits for the process that is starting, and is no failure', async () => {
    for (const delayMs of [0, 250, 500, 750]) {
      const { served, stderr } = await start('--console');
      served.process.child.kill('SIGHUP');
      await vi.waitUntil(() => childrenOf(served.pid).length === 3, { timeout: 100_000 });
      const all = childrenOf(served.pid);
      await sleep(delayMs);
      expect(await served.stop()).toBe(0);
      expect(all.filter(runs)).toEqual([]);
      expect(stderr()).not.toMatch(/"error"|Error/);
    }
  });

if (process.platform !== 'win32')
  it('a restart does not add to the processes when one dies meanwhile', async () => {
    const { served, stderr } = await start();
    const [, second] = childrenOf(served.pid);
    served.process.child.kill('SIGHUP');
    process.kill(second!, 'SIGKILL');
    await vi.waitUntil(() => stderr().includes('all processes were restarted'), { timeout: 100_000 });
    expect(childrenOf(served.pid)).toHaveLength(2);
  });

if (process.platform !== 'win32')
  it('counts stay in the metrics when the process ends that counted, and each log line names its process', async () => {
    const { served, stderr } = await start('--metrics-port', '0');
    const before = childrenOf(served.pid);
    const load = sendEvents(served);
    await vi.waitUntil(() => load.acknowledged.length >= 20, { timeout: 100_000 });
    const { acknowledged } = await load.stop();
    const counted = `svc_http_requests_total{endpoint="ingestEvents",status="202"} ${acknowledged.length}\n`;
    expect(await metricsOf(served)).toContain(counted);
    process.kill(before[0]!, 'SIGKILL');
    await vi.waitUntil(() => stderr().includes('is replaced'), { timeout: 100_000 });
    served.process.child.kill('SIGHUP');
    await vi.waitUntil(() => stderr().includes('all processes were restarted'), { timeout: 100_000 });
    const metrics = await metricsOf(served);
    expect(metrics).toContain(counted);
    expect(metrics).toContain(
      `svc_http_request_duration_seconds_count{endpoint="ingestEvents"} ${acknowledged.length}\n`,
    );

    const lines = stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ path }) => path === '/v1/events');
    expect(requests).toHaveLength(acknowledged.length);
    for (const { pid } of requests) expect(before).toContain(pid);
    expect(lines.at(-1)).toMatchObject({ message: 'all processes were restarted', pid: served.pid });
  });

it('the processes end with their node when it is killed', async () => {
  const { served } = await start();
  const members = childrenOf(served.pid);
  await served.kill();
  await ended(members);
});

it('reports once that it cannot start, with the exit code of a single process', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const home = tempDir();
  const { child, ended: end } = (await svcProgram()).start(
    ['serve', '--processes', '2', '--port', String(port)],
    { env: { PATH: process.env.PATH!, HOME: home }, cwd: home },
  );
  const { code, stdout, stderr } = await end;
  expect([child.pid !== undefined, code, stdout]).toEqual([true, 2, '']);
  expect(stderr).toBe(
    `error: port ${port} on 127.0.0.1 is in use\n  next: stop the process that listens there (fuser -v ${port}/tcp), or use a free port: svc serve --processes 2 --port 0\n`,
  );
});

it.each(['0', '65', '1.5', 'all'])('refuses --processes %s', async (text) => {
  const { code, stderr } = await runSvc(['serve', '--processes', text]);
  expect([code, stderr]).toEqual([
    2,
    `error: --processes ${text} is not a number from 1 to 64, or auto\n  next: svc serve --processes auto\n`,
  ]);
});

it('limits one user alike over both processes', async () => {
  const { served, database } = await start('--client-limit', 'user=20', '--limit', 'decisions=off');
  const users = JSON.parse((await served.send('/v1/users', { users: [{ userId: 'u' }] }))!.text);
  const { hashId } = users.users[0];
  const { token } = JSON.parse((await served.send(`/v1/users/${hashId}/tokens`, {}))!.text);
  const keys = await runSvc([
    'keys',
    'create',
    ...['--workspace', served.workspace, '--kind', 'publishable', '--database', database, '--json'],
  ]);
  const { key } = JSON.parse(keys.stdout);
  // Each on a connection of its own: either process takes it.
  const poll = async () => {
    const headers = {
      authorization: `Bearer ${key}`,
      'x-service-workspace': served.workspace,
      'x-service-user-token': token,
      connection: 'close',
    };
    const answer = await fetch(`${served.url}/v1/messages?hashId=${hashId}`, { headers });
    await answer.text();
    return { status: answer.status, remaining: Number(answer.headers.get('x-service-ratelimit-remaining')) };
  };
  const answers = [];
  for (let round = 0; round < 10; round++)
    answers.push(...(await Promise.all(Array.from({ length: 6 }, poll))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  expect(
    answers
      .filter(({ status }) => status === 200)
      .map(({ remaining }) => remaining)
      .sort((a, b) => b - a),
  ).toEqual(Array.from({ length: 20 }, (_, i) => 19 - i));
});
