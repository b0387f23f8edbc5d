import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const OVERLONG = 'x'.repeat(1024 * 1024 + 10);
const NOTIFY = ['notify', '-t', 'order_update', '-c', 'sms', '--var', 'orderId=A-1', '--input'];

const hashIdsOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).request.hashId);

/** A service that accepts every notification, and the users that it was asked to notify. */
async function acceptingService() {
  let count = 0;
  const { env, requests } = await cannedService(() => ({
    status: 202,
    body: JSON.stringify({ notificationId: `ntf_${++count}`, status: 'queued' }),
  }));
  return { env, notified: () => requests.map(({ body }) => JSON.parse(body).hashId).sort() };
}

describe('an --input that cannot be read to its end', () => {
  test('has every result of what was sent, and says where to go on after a line that is too long', async () => {
    const { env, notified } = await acceptingService();
    const home = tempDir();
    const ids = Array.from({ length: 20 }, (_, i) => `user-${String(i).padStart(2, '0')}`);
    const file = join(home, 'the ids.txt');
    writeFileSync(file, ['', ...ids, OVERLONG, 'last'].join('\n'));
    const run = await runSvc([...NOTIFY, 'the ids.txt'], { env, home });
    expect(hashIdsOf(run.stdout)).toEqual(ids);
    expect(notified()).toEqual(ids);
    expect(run.code, run.stderr).toBe(7);
    expect(run.stderr).toContain(
      'line 22 of the input is longer than 1 MiB; lines up to 21 are answered (20 requests, 0 failed), no later one was sent',
    );
    expect(run.stderr).toContain(
      "shorten line 22, then continue after line 21: tail -n +22 'the ids.txt' | svc notify",
    );
    expect(run.stderr).toContain("or leave it out: tail -n +23 'the ids.txt' | svc notify");
  });

  test('has them after a read error too', async () => {
    const { env, notified } = await acceptingService();
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from('a\nb\n\nc\nhalf');
        throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      })(),
    );
    const run = await runSvc([...NOTIFY, '-'], { env, stdin });
    expect(hashIdsOf(run.stdout)).toEqual(['a', 'b', 'c']);
    expect(notified()).toEqual(['a', 'b', 'c']);
    expect(run.code, run.stderr).toBe(7);
    expect(run.stderr).toContain('lines up to 4 are answered (3 requests, 0 failed)');
    expect(run.stderr).toContain('continue after line 4: tail -n +5 | svc notify');
  });

  test('has nothing but the error if nothing was sent', async () => {
    const { env } = await startTestService();
    const run = await runSvc(['decide', '--input', '-', '--json'], { env, stdin: `\n${OVERLONG}\na\n` });
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: 'file',
      message: 'line 2 of the input is longer than 1 MiB',
    });
  });
});

test('--input that was interrupted goes on after the right line, blank ones counted', async () => {
  const { env } = await startTestService();
  const home = tempDir();
  const file = join(home, 'ids.txt');
  writeFileSync(file, '\n\na\n\nb\n');
  const running = startSvc(['decide', '--input', '-'], {
    env,
    home,
    stdin: Readable.from(
      (async function* () {
        for await (const chunk of createReadStream(file)) yield chunk;
        await new Promise(() => undefined);
      })(),
    ),
  });
  await running.waitFor(/"hashId":"b"/);
  running.interrupt();
  const run = await running.done;
  expect([run.code, run.stderr]).toEqual([130, expect.stringContaining('tail -n +6 | svc decide --input -')]);
});
