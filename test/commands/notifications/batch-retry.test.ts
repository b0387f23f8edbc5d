import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const NOTIFY = ['notify', '--template', 'welcome', '--channel', 'sms', '--input', '-'];

/** What a printed jq filter selects from the printed lines. */
const selected = (filter: string, stdout: string) =>
  execFileSync(process.execPath, [join(ROOT, 'test/support/jq.mjs'), '-cr', filter], {
    input: stdout,
    encoding: 'utf8',
  }).trim();

/** A service that holds, accepts without an end, loses and refuses notifications, by user. */
function serviceOfEnds() {
  return cannedService(({ method, path, body }) => {
    if (method === 'GET') {
      const id = path.split('/').at(-1)!;
      if (id === 'ntf_lost') return { status: 404 };
      const held = { status: 'held', heldUntil: '2026-01-02T08:00:00.000Z' };
      return {
        body: JSON.stringify({ notificationId: id, ...(id === 'ntf_held' ? held : { status: 'queued' }) }),
      };
    }
    const { hashId } = JSON.parse(body);
    if (hashId === 'refused')
      return {
        status: 400,
        body: JSON.stringify({
          error: 'invalid_request',
          details: [{ field: 'channel', message: 'is wrong' }],
        }),
      };
    if (hashId === 'doubt') return { status: 503 };
    return { status: 202, body: JSON.stringify({ notificationId: `ntf_${hashId}`, status: 'queued' }) };
  });
}

test('retries only the lines that were certainly not accepted, and names the others', async () => {
  const { env } = await serviceOfEnds();
  const ids = ['held', 'slow', 'lost', 'doubt', 'refused'];
  const argv = [...NOTIFY, '--wait', '--wait-timeout', '0s', '--max-retries', '0'];
  const run = await runSvc(argv, { env, stdin: `${ids.join('\n')}\n` });
  expect(run.code, run.stderr).toBe(7);
  expect(run.stderr).toContain(
    '5 of 5 lines failed: 1 was not accepted, 3 were accepted, 1 may have been accepted',
  );
  const filters = [...run.stderr.matchAll(/jq -\w+ '([^']+)' OUTPUT/g)].map(([, filter]) => filter!);
  expect(filters).toHaveLength(3);
  expect(JSON.parse(run.stdout.split('\n')[2]!)).toMatchObject({
    accepted: true,
    error: { code: 'not_found' },
  });
  const [retried, accepted, doubtful] = filters.map((filter) => selected(filter, run.stdout));
  expect(retried!.split('\n').map((line) => JSON.parse(line).hashId)).toEqual(['refused']);
  expect(accepted).toContain('svc notifications watch ntf_held');
  expect(accepted).not.toContain('refused');
  expect(doubtful).toContain('doubt');
  expect(doubtful).not.toContain('held');
});

test('names no retry where every failed line was accepted', async () => {
  const { env } = await serviceOfEnds();
  const run = await runSvc([...NOTIFY, '--wait'], { env, stdin: 'held\n' });
  expect(run.code, run.stderr).toBe(7);
  expect(run.stderr).toContain('1 of 1 line failed: 1 was accepted');
  expect(run.stderr).not.toContain('--input');
});

test('the hint of a line names the profile and the help of the command', async () => {
  const { env } = await serviceOfEnds();
  const home = tempDir();
  const add = ['profiles', 'add', 'elsewhere', '--base-url', env.SVC_BASE_URL, '--workspace', 'ws_1'];
  await runSvc([...add, '--api-key-stdin'], { home, stdin: `${env.SVC_API_KEY}\n` });
  const argv = [...NOTIFY, '--wait', '--profile', 'elsewhere'];
  const run = await runSvc(argv, { home, stdin: 'held\nrefused\n' });
  const hints = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).error.hint);
  expect(hints[0]).toContain('svc notifications watch ntf_held --profile elsewhere');
  expect(hints[1]).toContain('svc notifications trigger --help');
});
