import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../../../support/postgres/database.ts';
import { startTestService } from '../../../support/process/service.ts';
import { tempDir } from '../../../support/temp.ts';
import { addUser, record, settled, trigger } from '../../../support/vendors/live-service.ts';
import { startTwilio } from '../../../support/vendors/vendors.ts';

it('a service that stops while it connects to a provider sends the message after its next start', async () => {
  const database = await freshDatabase(tempDir());
  const vendor = await startTwilio();
  const start = (url: string) =>
    startTestService({
      database,
      allowLoopbackWebhooks: true,
      providers: ['sms=twilio-sms'],
      environment: {
        TWILIO_ACCOUNT_SID: 'AC0123456789abcdef',
        TWILIO_AUTH_TOKEN: 'twilio auth token',
        TWILIO_FROM: '+15017122661',
        TWILIO_BASE_URL: url,
      },
    });
  const sockets: Socket[] = [];
  let connected = () => {};
  const connecting = new Promise<void>((resolve) => {
    connected = resolve;
  });
  // Never answers the TLS handshake.
  const mute = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', connected);
  });
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  const first = await start(`https://localhost:${(mute.address() as { port: number }).port}`);
  const id = await trigger(first, await addUser(first));
  await connecting;
  await first.close(0);

  const second = await start(vendor.url);
  const service = { ...second, apiKey: first.apiKey, fetch: withKey(second.url, first) };
  while ((await record(service, id)).status === 'dispatched') await settled(service, id);
  expect(await record(service, id)).toMatchObject({ status: 'delivered' });
  expect(vendor.requests.length).toBe(1);
});

/** Requests to a service with the key of the one before it on the same database. */
const withKey =
  (url: string, { apiKey, workspace }: { apiKey: string; workspace: string }) =>
  (path: string) =>
    fetch(url + path, { headers: { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace } });
