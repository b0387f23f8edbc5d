import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS, versionOf } from '../../../src/service/platform/store/schema/index.ts';
import { certificateFiles } from '../../support/peers/certificate.ts';
import { postgresDatabase } from '../../support/postgres/database.ts';
import { forwarder } from '../../support/postgres/postgres-cluster.ts';
import { type RunningServe, runServe } from '../../support/process/run-serve.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';

const running: RunningServe[] = [];
afterEach(async () => {
  for (const serving of running.splice(0)) await serving.stop();
});

async function serve(args: string[], env: Record<string, string> = {}) {
  const serving = await runServe(args, { env });
  running.push(serving);
  return serving;
}
const withPassword = (database: string) => {
  const url = new URL(database);
  url.password = 'hunter2-secret';
  return url.href;
};

describe('svc serve on PostgreSQL', () => {
  it('shares workspace and data between nodes, and prints the key on the first node', async () => {
    const database = await postgresDatabase({ empty: true });
    const one = await serve([], { SVC_DATABASE_URL: database });
    const two = await serve(['--database', database]);
    expect(two.ready).toMatchObject({ ready: true, workspace: one.ready.workspace, apiKey: null });
    const send = (url: string, key: string) =>
      fetch(`${url}/v1/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${one.ready.apiKey}`,
          'x-service-workspace': one.ready.workspace,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ events: [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }] }),
      });
    const first = await send(one.ready.url, 'k');
    const again = await send(two.ready.url, 'k');
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
  });

  it('works without the data key where possible, and names the missing key', async () => {
    const database = await postgresDatabase();
    const one = await serve(['--database', database]);
    const two = await serve(['--database', database]);
    expect(two.svc.stderr()).toMatch(/"warn".*SVC_DATA_KEY with fingerprint [0-9a-f]{16}.*no data key/);
    const post = (path: string, body: object) =>
      fetch(two.ready.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${one.ready.apiKey}`,
          'x-service-workspace': one.ready.workspace,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
    expect((await post('/v1/events', { events: [event] })).status).toBe(202);
    expect((await post('/v1/decisioning/decide', { hashId: 'h' })).status).toBe(200);
    const refused = await post('/v1/users', { users: [{ userId: 'u', name: 'Ada' }] });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: 'unavailable',
      message: expect.stringMatching(/data key/),
    });
    const other = await runSvc(['serve', '--port', '0', '--database', database], {
      env: { SVC_DATA_KEY: 'ab'.repeat(32) },
    });
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/holds another key/);
  });

  it('answers one idempotency key on two nodes with one answer, and stores once', async () => {
    const database = await postgresDatabase();
    const nodes = [await serve(['--database', database]), await serve(['--database', database])];
    const { workspace, apiKey } = nodes[0]!.ready;
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          fetch(`${nodes[i % 2]!.ready.url}/v1/events`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${apiKey}`,
              'x-service-workspace': workspace,
              'content-type': 'application/json',
              'idempotency-key': `key-${round}`,
            },
            body: JSON.stringify({
              events: [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }],
            }),
          }),
        ),
      );
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(202));
      expect(new Set(texts).size).toBe(1);
    }
    const { stdout } = await runSvc(['data', 'export', '--type', 'event', '--database', database]);
    expect(stdout.trim().split('\n')).toHaveLength(10);
  });

  it('never prints the password, warns about one on the command line, and names the next step', async () => {
    const database = withPassword(await postgresDatabase());
    const { svc } = await serve(['--database', database]);
    expect(svc.stderr()).toMatch(/can be seen by other users/);
    const gone = new URL(database);
    gone.port = '1';
    const away = await runSvc(['serve', '--port', '0', '--database', gone.href]);
    expect(away.code).toBe(6);
    expect(away.stderr).toMatch(/psql 'postgres:\/\/svc:\*\*\*@/);
    const missing = new URL(database);
    missing.pathname = '/no_such_database';
    const unknown = await runSvc(['serve', '--port', '0'], { env: { SVC_DATABASE_URL: missing.href } });
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/no_such_database.*createdb/s);
    const odd = await runSvc(['serve', '--database', 'mysql://svc:hunter2-secret@localhost/x']);
    expect(odd.code).toBe(2);
    const texts = [
      svc.stdout(),
      svc.stderr(),
      ...[away, unknown, odd].flatMap((run) => [run.stdout, run.stderr]),
    ];
    expect(texts.join('\n')).not.toContain('hunter2');
  });

  // On Windows there is no such signal.
  if (process.platform !== 'win32')
    it('SIGHUP while the service starts is obeyed once it has started', async () => {
      const { home, flags } = certificateFiles();
      const database = new URL(await postgresDatabase());
      const { port } = database;
      const gate = new EventEmitter();
      let opened = false;
      const address = await forwarder(async () => {
        gate.emit('arrived');
        if (!opened) await once(gate, 'opened');
        return Number(port);
      });
      onTestFinished(() => address.close());
      database.port = String(address.port);
      const starting = startServing(await svcProgram(), { database: database.href, home, argv: flags });
      let stderr = '';
      starting.process.child.stderr!.on('data', (text) => {
        stderr += text;
      });
      await once(gate, 'arrived');
      starting.process.child.kill('SIGHUP');
      opened = gate.emit('opened');
      const served = await starting.ready;
      onTestFinished(() => served.kill());
      await vi.waitUntil(() => stderr.includes('the certificate was read again'), { timeout: 100_000 });
      expect(await served.stop()).toBe(0);
    });
});

describe('svc serve migrate', () => {
  it('creates the schema once, and changes nothing the second time', async () => {
    const database = await postgresDatabase({ empty: true });
    const migrate = async () =>
      JSON.parse((await runSvc(['serve', 'migrate', '--database', database, '--json'])).stdout);
    expect(await migrate()).toEqual({ from: 0, to: versionOf(MIGRATIONS) });
    expect(await migrate()).toEqual({ from: versionOf(MIGRATIONS), to: versionOf(MIGRATIONS) });
  });
});
