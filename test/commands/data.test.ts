import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../../src/service/store/dump.ts';
import { builtSvc } from '../support/built-svc.ts';
import { runProcess } from '../support/run-process.ts';
import { runSvc } from '../support/run-svc.ts';
import { startTestService } from '../support/service.ts';
import { tempDir } from '../support/temp.ts';

const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function filled() {
  const service = await startTestService();
  await service.fetch('/v1/users', {
    body: { users: [{ userId: 'u1', name: 'Canary Name', phone: '+4930123456', timeZone: 'Europe/Berlin' }] },
  });
  const numbers = '{"n":12345678901234567890,"x":1.50,"evil":"\\u001b]52;\u202e"}';
  await service.fetch('/v1/events', {
    raw: `{"events":[{"userId":"u1","event":"e","timestamp":"2026-01-01T00:00:00Z","properties":${numbers}}]}`,
  });
  const events = Array.from({ length: 1000 }, (_, i) => ({
    userId: `u${i}`,
    event: 'more',
    timestamp: '2026-01-01T00:00:00Z',
  }));
  await service.fetch('/v1/events', { body: { events } });
  await service.fetch('/v1/events', { body: { events } });
  await service.fetch('/v1/webhooks', {
    body: {
      url: 'https://x.example/h',
      events: ['campaign.opened'],
      signingSecret: 'canary-secret-0123456789',
    },
  });
  return service;
}

describe('svc data export', () => {
  it('hands out every record once, spelled as it was sent, without keys, secrets and personal fields', async () => {
    const service = await filled();
    const run = await runSvc(['data', 'export', '--database', service.database]);
    expect(run.code).toBe(0);
    const records = lines(run.stdout);
    const count = (type: string) => records.filter((record) => record.type === type).length;
    expect([count('event'), count('user'), count('webhook')]).toEqual([2001, 1, 1]);
    expect(run.stdout).toContain('"properties":{"n":12345678901234567890,"x":1.50,');
    expect(run.stdout).not.toMatch(/\u202e|Canary|canary|4930123456|sk_test/);
    expect(records[0]).toMatchObject({ type: 'user', workspace: service.workspace, userId: 'u1' });
  });

  it('keeps to the types asked for', async () => {
    const service = await filled();
    const run = await runSvc([
      'data',
      'export',
      '--database',
      service.database,
      '--type',
      'webhook',
      '--json',
    ]);
    expect(lines(run.stdout).map(({ type, url }) => [type, url])).toEqual([
      ['webhook', 'https://x.example/h'],
    ]);
    expect(await runSvc(['data', 'export', '--type', 'secret'])).toMatchObject({ code: 2, stdout: '' });
    expect(await runSvc(['data', 'export'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('names every type it has', async () => {
    const help = await runSvc(['data', 'export', '--help']);
    for (const type of Object.keys(SOURCES)) expect(help.stdout).toContain(type);
  });
});

describe('svc data reset', () => {
  it('removes the data and keeps workspace and key', async () => {
    // In processes of their own: data that this process has had open counts as in use until it ends.
    const svc = await builtSvc();
    const home = tempDir();
    const run = (...argv: string[]) => runProcess(svc, argv, { home, env: { SVC_PROFILE: 'local' } });
    expect((await run('events', 'send', '--user-id', 'u', '--event', 'e')).code).toBe(0);
    const data = join(home, 'data');
    const credentials = readFileSync(join(data, 'service.db.credentials.json'), 'utf8');
    expect(await run('data', 'reset')).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(join(data, 'service.db'))).toBe(true);
    expect((await run('data', 'reset', '--yes', '--json')).code).toBe(0);
    expect(readdirSync(data).filter((name) => name.startsWith('service.db'))).toEqual([
      'service.db.credentials.json',
    ]);
    await run('events', 'send', '--user-id', 'u2', '--event', 'e');
    expect(readFileSync(join(data, 'service.db.credentials.json'), 'utf8')).toBe(credentials);
    const after = lines((await run('data', 'export', '--type', 'event')).stdout);
    expect(after.map(({ userId }) => userId)).toEqual(['u2']);
  });

  it('does nothing while a service is at work on it', async () => {
    const service = await filled();
    const run = await runSvc(['data', 'reset', '--yes', '--database', service.database]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/in use by another process/);
    expect((await service.fetch('/v1/webhooks')).status).toBe(200);
  });

  it('removes what is damaged, and says where there is nothing', async () => {
    const home = tempDir();
    const file = join(home, 'broken.db');
    writeFileSync(file, 'this is no database, however long it may be');
    expect((await runSvc(['data', 'reset', '--yes', '--database', file])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const none = await runSvc(['data', 'reset', '--yes', '--database', file]);
    expect(none.stdout).toMatch(/there was no data/);
    expect(existsSync(file)).toBe(false);
  });
});
