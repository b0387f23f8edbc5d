import { describe, expect, it } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** A home with the profile `one` in use and the profile `two`, which is a service that answers this. */
async function withProfiles(answer: Parameters<typeof cannedService>[0]) {
  const home = tempDir();
  const { env } = await cannedService(answer);
  const add = (name: string, url: string) =>
    runSvc(
      [
        'profiles',
        'add',
        name,
        '--no-check',
        '--workspace',
        'w',
        '--region',
        'eu',
        '--base-url',
        url,
        '--api-key-stdin',
      ],
      { home, stdin: 'sk_test_1' },
    );
  await add('one', 'http://127.0.0.1:9');
  const added = await add('two', env.SVC_BASE_URL);
  expect(added.code, added.stderr).toBe(0);
  return (argv: readonly string[]) => runSvc([...argv, '--profile', 'two'], { home });
}

const NOT_FOUND = {
  status: 404,
  body: '{"error":"not_found","code":"NOT_FOUND","requestId":"r","message":"No."}',
};

describe('a next step names the profile that was typed', () => {
  it.each<[string[], ReturnType<Parameters<typeof cannedService>[0]>, string]>([
    [['webhooks', 'update', 'wh_1'], {}, 'svc webhooks update wh_1 --profile two --status active'],
    [['webhooks', 'redeliver', 'wh_1', 'd_1'], NOT_FOUND, 'svc webhooks deliveries wh_1 --profile two'],
    [
      ['webhooks', 'redeliver', 'wh_1', 'd_1', '--max-retries', '0'],
      { status: 503, body: '{}' },
      'svc webhooks deliveries wh_1 --profile two',
    ],
    [
      ['notify', '--hash-id', 'h', '-t', 't', '-c', 'sms'],
      { status: 202, body: '{"notificationId":"ntf_1","status":"queued"}' },
      'svc notifications watch ntf_1 --profile two',
    ],
    [
      ['users', 'timeline', '--hash-id', 'h'],
      { body: '{"items":[],"events":{"counted":[],"scannedSince":"2026-01-01T00:00:00Z"}}' },
      'svc users export --hash-id h --profile two',
    ],
    [
      ['webhooks', 'list'],
      { body: '{"webhooks":[]}' },
      'svc webhooks create --url U --event K --profile two',
    ],
    [['decide', 'alice'], {}, 'svc decide --hash-id alice --profile two'],
    [['api', 'FETCH', '/v1/webhooks'], {}, 'svc api GET /v1/webhooks --profile two'],
    [
      ['events', 'send', '--user-id', '', '--event', 'e'],
      {},
      '--timestamp 2026-01-31T12:00:00Z --profile two',
    ],
  ])('%j', async (argv, answer, command) => {
    const run = await (await withProfiles(() => answer))(argv);
    expect(run.stdout + run.stderr).toContain(command);
  });
});
