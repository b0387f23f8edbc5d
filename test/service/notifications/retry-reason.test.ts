import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';
import { addUser, record, trigger } from '../../support/vendors/live-service.ts';

it('the reason of a retry is in the record and once in the log', async () => {
  const logged: { level: string; provider: unknown; reason: unknown }[] = [];
  const service = await startTestService({
    channels: {
      outboxFile: join(tempDir(), 'outbox.ndjson'),
      // Nobody listens there.
      providers: { sms: { url: 'http://127.0.0.1:1/', secret: 'the provider secret 1', idempotent: true } },
    },
    log: (level, message, fields) => {
      if (/did not take a notification/.test(message))
        logged.push({ level, provider: fields?.provider, reason: fields?.reason });
    },
  });
  const hashId = await addUser(service);
  const ids = [await trigger(service, hashId), await trigger(service, hashId)];
  const reason = expect.stringMatching(/ECONNREFUSED|refused/);
  for (const id of ids)
    await expect
      .poll(async () => (await record(service, id)).history)
      .toEqual([
        expect.objectContaining({ status: 'queued' }),
        expect.objectContaining({ status: 'dispatched', reason }),
      ]);
  expect(logged).toEqual([{ level: 'warn', provider: 'provider generic', reason }]);
});
