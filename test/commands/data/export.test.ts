import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { REMOTE_EXPORTS } from '../../../src/contract/export.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const TYPES = Object.keys(REMOTE_EXPORTS);
const PROPERTIES = '{"n":12345678901234567890,"x":1.50,"say":"\\"a\\", b"}';

/** A service with some records of each type. */
async function filled() {
  const service = await startTestService();
  const post = async (path: string, body: unknown) => {
    const answer = await service.fetch(path, { body });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    return JSON.parse(await answer.text());
  };
  await service.fetch('/v1/events', {
    raw: `{"events":[{"userId":"u1","event":"e","timestamp":"2026-01-01T00:00:00.1234567Z","properties":${PROPERTIES}}]}`,
  });
  await post('/v1/events', {
    events: Array.from({ length: 6000 }, (_, i) => ({
      userId: `u${i}`,
      event: 'more, "or" less',
      timestamp: '2026-01-01T00:00:00Z',
      ...(i % 2 ? { eventId: `id-${i}` } : {}),
    })).slice(0, 1000),
  });
  const url = 'https://x.example/h';
  const signingSecret = 'secret-0123456789';
  await post('/v1/webhooks', { url, events: ['campaign.opened'], signingSecret });
  const { users } = await post('/v1/users', { users: [{ userId: 'u1', phone: '+4930123456' }] });
  const [{ hashId }] = users;
  const context = { channel: 'in-app', surface: 'home' };
  const { decisionId } = await post('/v1/decisioning/decide', { hashId, context });
  await post(`/v1/messages/${decisionId}/outcomes`, { type: 'opened' });
  const trigger = { hashId, templateId: 'order_update', channel: 'push', variables: { orderId: '1' } };
  await post('/v1/inform/trigger', { ...trigger, sendAt: new Date(Date.now() + 3_600_000).toISOString() });
  await post('/v1/inform/trigger', trigger);
  await expect.poll(() => service.idle()).toBe(true);
  return service;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

it('exports the same from the database and through the API, in each format', async () => {
  const service = await filled();
  const dir = tempDir();
  const ok = async (words: string[], env: Record<string, string> = service.env) => {
    const run = await runSvc(['data', 'export', ...words], { env, cwd: dir });
    expect(run.code, run.stderr).toBe(0);
    return run.stdout;
  };
  for (const type of TYPES) {
    const lines = await ok(['--type', type]);
    expect(await ok(['--type', type, '--database', service.database], {})).toBe(lines);
    const records = linesOf(lines);
    expect(records.length, type).toBeGreaterThan(0);
    const csv = await ok(['--type', type, '--format', 'csv']);
    const result = JSON.parse(await ok(['--type', type, '-o', `${type}.parquet`, '--json']));
    expect(result).toMatchObject({ format: 'parquet', types: [type], records: records.length });
    const bytes = readFileSync(join(dir, `${type}.parquet`));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const compressors = { GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)) };
    const rows = await parquetReadObjects({ file, compressors });
    const cells = parse(csv, { columns: true }) as Record<string, string>[];
    expect([rows.length, cells.length]).toEqual([records.length, records.length]);
    for (const [i, { type: _, ...record }] of records.entries())
      for (const [name, value] of Object.entries<unknown>(record)) {
        const typed = rows[i]![name];
        const isTime = typed instanceof Date;
        const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
        if (name === 'properties' && i === 0 && type === 'events')
          expect([typed, cells[i]![name]]).toEqual([PROPERTIES, PROPERTIES]);
        else if (typeof value === 'object' && value !== null)
          expect([JSON.parse(typed as string), JSON.parse(cells[i]![name]!)]).toEqual([value, value]);
        else {
          expect(cells[i]![name]).toBe(text);
          if (isTime) expect(typed.getTime()).toBe(Date.parse(String(value)));
          else expect(typeof typed === 'bigint' ? Number(typed) : typed).toEqual(value);
        }
      }
  }
  const scheduled = linesOf(await ok(['--type', 'notifications'])).filter(({ sendAt }) => sendAt);
  expect(scheduled).toMatchObject([{ sendAt: expect.stringMatching(/^20.*Z$/) }]);
});

it('exports a span of time: every record is in one of the spans', async () => {
  const service = await startTestService();
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  await service.fetch('/v1/events', { body: { events: Array(40).fill(event) } });
  const day = 86_400_000;
  const start = Date.parse('2026-03-01T00:00:00Z');
  // Days apart, and a little out of order.
  const at = (number: number) => start + Math.floor(number / 4) * day - (number % 5 === 0 ? day / 2 : 0);
  await service.platform.store.write(async ({ sql }) => {
    for (let number = 1; number <= 40; number++)
      await sql.run('UPDATE event SET received_at = ? WHERE workspace_id = ? AND number = ?', [
        at(number),
        service.workspace,
        number,
      ]);
  });
  const times = async (since: string | undefined, until: string | undefined) => {
    const words = [...(since ? ['--since', since] : []), ...(until ? ['--until', until] : [])];
    const run = await runSvc(['data', 'export', '--type', 'events', ...words], { env: service.env });
    expect(run.code, run.stderr).toBe(0);
    return linesOf(run.stdout).map(({ receivedAt }) => Date.parse(receivedAt));
  };
  const all = Array.from({ length: 40 }, (_, i) => at(i + 1));
  for (let i = -1; i <= 12; i++) {
    const [since, until] = [start + i * day, start + (i + 1) * day];
    const isoOf = (ms: number) => new Date(ms).toISOString();
    expect(await times(isoOf(since), isoOf(until))).toEqual(all.filter((ms) => ms >= since && ms < until));
    expect(await times(isoOf(since), undefined)).toEqual(all.filter((ms) => ms >= since));
    expect(await times(undefined, isoOf(since))).toEqual(all.filter((ms) => ms < since));
  }
});

it('pages of the API continue where the last one ended, and refuse other cursors', async () => {
  const service = await filled();
  for (const type of TYPES) {
    const page = async (query: string) => {
      const answer = await service.fetch(`/v1/exports/${type}?${query}`);
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    const { body: whole } = await page('');
    const parts: unknown[] = [];
    for (let next: string | null = ''; next !== null && parts.length < 3000; ) {
      const { body } = await page(`limit=7${next && `&after=${next}`}`);
      const { columns, rows } = body;
      for (let i = 0; i < rows; i++)
        parts.push(
          Object.fromEntries(Object.entries<unknown[]>(columns).map(([name, values]) => [name, values[i]])),
        );
      next = body.next;
    }
    const { columns, rows } = whole;
    expect(parts).toHaveLength(rows);
    for (const [name, values] of Object.entries(columns))
      expect(parts.map((part) => (part as Record<string, unknown>)[name])).toEqual(values);
    for (const after of [
      'x',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('[{},"a",1]').toString('base64url'),
    ])
      expect((await page(`after=${after}`)).status).toBe(400);
  }
  expect((await service.fetch('/v1/exports/users')).status).toBe(404);
});

it('is interrupted within a second while it waits for the limit, and goes on', async () => {
  const service = await startTestService({
    limits: { ingest: null, inform: null, decisions: null, reads: 1, webhooks: null },
  });
  const event = {
    userId: 'u',
    event: 'e',
    timestamp: '2026-01-01T00:00:00Z',
    properties: { t: 'x'.repeat(600) },
  };
  for (let i = 0; i < 3; i++)
    await service.fetch('/v1/events', { body: { events: Array(1000).fill(event) } });
  const dir = tempDir();
  const words = ['data', 'export', '--type', 'events', '--output', 'e.parquet'];
  const run = startSvc(words, { env: service.env, cwd: dir, columns: 80 });
  await run.waitFor(/\d records/, 'stderr');
  run.interrupt();
  const { code, stderr } = await run.done;
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /records are in e\.parquet\.part[\s\S]*next: svc data export --type events --output e\.parquet/,
  );
  expect([existsSync(join(dir, 'e.parquet')), existsSync(join(dir, 'e.parquet.part'))]).toEqual([
    false,
    true,
  ]);
});

it('refuses what it cannot do, with the next step', async () => {
  const service = await startTestService();
  const dir = tempDir();
  writeFileSync(join(dir, 'there.csv'), 'mine');
  const refused = async (words: string[], code: number, text: RegExp, columns?: number) => {
    const run = await runSvc(['data', 'export', ...words], {
      env: service.env,
      cwd: dir,
      ...(columns ? { columns } : {}),
    });
    expect(run, words.join(' ')).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toMatch(text);
    expect(run.stderr).toContain('next:');
  };
  await refused(['--format', 'csv'], 2, /records of one type/);
  await refused(['-o', 'all.parquet'], 2, /records of one type/);
  await refused(['--type', 'events', '-o', 'there.csv'], 2, /exists already/);
  await refused(['--type', 'events', '-o', 'none/e.csv'], 2, /no such folder|cannot be written/);
  await refused(['--type', 'events', '--since', '2026-02-30'], 2, /not a time/);
  await refused(['--type', 'events', '--since', '2026-01-02', '--until', '2026-01-01'], 2, /after --since/);
  await refused(['--type', 'users'], 2, /of this machine only/);
  await refused(['--type', 'events', '--database', 'x.db', '--workspace', 'ws_1'], 2, /remote service/);
  await refused(['--type', 'events', '--format', 'parquet'], 2, /not text for a terminal/, 80);
  expect(readFileSync(join(dir, 'there.csv'), 'utf8')).toBe('mine');
});
