import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Pacers } from '../../../src/client/pacers.ts';
import { HEADERS } from '../../../src/contract/headers.ts';
import { PACING, remoteBackend } from '../../../src/features/console-server/backend.ts';
import { httpClient } from '../../support/console/remote-client.ts';
import { startTestConsole } from '../../support/console/test-console.ts';
import { startTestService } from '../../support/process/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const LIMIT = 60;
const WINDOW_MS = 60_000;

/** A service that notes when it was asked on `clock`, and says what of its limit is left. */
async function notingService(clock: VirtualClock) {
  const asked: number[] = [];
  const server = createServer((_, response) => {
    asked.push(clock.now());
    const inWindow = asked.filter((at) => at > clock.now() - WINDOW_MS);
    response
      .writeHead(200, {
        'content-type': 'application/json',
        date: new Date(clock.now()).toUTCString(),
        [HEADERS.limit]: LIMIT,
        [HEADERS.remaining]: LIMIT - inWindow.length,
        [HEADERS.reset]: Math.ceil((inWindow[0]! + WINDOW_MS) / 1000),
      })
      .end('{"decisions":[],"next":null}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('a page before a remote service has a tenth of each window: in bursts, then refused with the wait', async () => {
  const clock = new VirtualClock();
  const { url, asked } = await notingService(clock);
  const pacers = new Pacers({ clock, random: () => 0.5, ...PACING });
  const page = await startTestConsole(await startTestService(), {
    backend: remoteBackend(httpClient(url, { pacers, steadyClock: clock })),
  });
  const ask = async (): Promise<number> => {
    let status: number | undefined;
    const answered = page.ask('GET', '/api/v1/decisions').then((answer) => {
      status = answer.status;
    });
    while (status === undefined) {
      // A short wait is waited for.
      if (clock.asleep > 0) await clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await answered;
    return status;
  };
  // A person opens a few views at once: nothing waits.
  for (let i = 0; i < 4; i++) expect(await ask()).toBe(200);
  expect(asked.at(-1)).toBe(asked[0]);
  const statuses = new Set<number>();
  for (let i = 0; i < 60; i++) {
    statuses.add(await ask());
    await clock.advance(5_000);
  }
  expect([...statuses].sort()).toEqual([200, 429]);
  for (const at of asked)
    expect(asked.filter((other) => other > at - WINDOW_MS && other <= at).length).toBeLessThanOrEqual(
      LIMIT / 10,
    );
  // It uses its share: five minutes have five windows.
  expect(asked.length).toBeGreaterThan(20);
});
