import { describe, expect, it } from 'vitest';
import { EXPORT_FIELDS } from '../../../src/contract/export.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';

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
  it('exports every record once, spelled as it was sent, without keys, secrets and personal fields', async () => {
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

  it('exports only the requested types', async () => {
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

  it('lists every type', async () => {
    const help = await runSvc(['data', 'export', '--help']);
    for (const type of Object.keys(EXPORT_FIELDS)) expect(help.stdout).toContain(type.replace(/y$/, 'ies'));
  });
});
