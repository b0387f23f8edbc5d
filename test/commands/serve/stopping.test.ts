import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Served, startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

/** The limit that docs promise, in ms: a stop that takes longer is killed by many supervisors. */
const STOP_MS = 10_000;

/** Sends the head of a request, and returns the connection, which nobody reads after its first bytes. */
async function begin({ url, port, apiKey, workspace }: Served, request: string, more: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const headers = `host: ${new URL(url).host}\r\nauthorization: Bearer ${apiKey}\r\nx-service-workspace: ${workspace}\r\n`;
  socket.write(`${request} HTTP/1.1\r\n${headers}${more}`);
  return socket;
}

it('exits with 0 within 10 s of SIGTERM while a request never ends and a stream is not read', async () => {
  const home = tempDir();
  const { ready } = startServing(await svcProgram(), { home, database: join(home, 'service.db') });
  const served = await ready;
  onTestFinished(() => served.kill());
  const stream = await begin(served, 'GET /v1/events/stream', '\r\n');
  await once(stream, 'readable');
  const properties = { text: 'x'.repeat(1_000_000) };
  for (let n = 0; n < 8; n++) {
    const event = { userId: `u${n}`, event: 'e', timestamp: '2026-01-01T00:00:00Z', properties };
    expect((await served.send('/v1/events', { events: [event] }))?.status).toBe(202);
  }
  const endless = await begin(
    served,
    'POST /v1/events',
    'expect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n',
  );
  // The service has begun with the request: it asks for the body, of which it gets one byte.
  const [go] = await once(endless, 'data');
  expect(String(go)).toMatch(/^HTTP\/1\.1 100 /);
  endless.write('{');
  // SIGKILL shows as another exit code.
  const late = setTimeout(() => served.process.child.kill('SIGKILL'), STOP_MS);
  expect(await served.stop()).toBe(0);
  clearTimeout(late);
}, 60_000);
