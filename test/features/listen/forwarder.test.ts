import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../../src/contract/signed-headers.ts';
import type { Verified } from '../../../src/features/listen/receiver.ts';
import {
  deliveryBody,
  post,
  SECRET,
  startHandler,
  startReceiver,
} from '../../support/listen/receiver-fixture.ts';
import type { Target } from '../../support/listen/target.ts';

describe('forwarding', () => {
  it('forwards the exact bytes and headers, and relays status, body and Retry-After', async () => {
    const bytes = Buffer.from('{"type":"campaign.clicked" , "n":1e2}\n');
    const handler = await startHandler((_, response) => {
      response.writeHead(503, { 'retry-after': '7', 'content-type': 'text/plain' });
      response.end('later');
    });
    const { url, reports } = await startReceiver({ forwardTo: [`${handler.url}hook?a=b=c`] });
    const headers = signedHeaders('dlv_9', Date.now(), bytes, [SECRET]);
    const answered = await post(url, bytes, headers);
    expect([answered.status, await answered.text(), answered.headers.get('retry-after')]).toEqual([
      503,
      'later',
      '7',
    ]);
    const [got] = handler.received;
    expect(got?.path).toBe('/hook?a=b=c');
    expect(got?.body.equals(bytes)).toBe(true);
    expect(got?.headers).toMatchObject({
      ...headers,
      host: new URL(handler.url).host,
      'content-length': String(bytes.length),
    });
    expect((reports[0] as Verified).forwarded).toMatchObject({
      url: `${handler.url}hook?a=b=c`,
      status: 503,
    });
  });

  it('relays a 500 to the sender, and does not forward unverified deliveries', async () => {
    const handler = await startHandler((_, response) => response.writeHead(500).end());
    const { url } = await startReceiver({ forwardTo: [handler.url] });
    expect((await post(url, deliveryBody())).status).toBe(500);
    expect((await post(url, deliveryBody(), { 'x-service-signature': 'no' })).status).toBe(401);
    expect(handler.received).toHaveLength(1);
  });

  it('selects one of three routes by kind', async () => {
    const [clicked, opened, rest] = [await startHandler(), await startHandler(), await startHandler()];
    const { url } = await startReceiver({
      forwardTo: [`campaign.clicked=${clicked.url}`, `campaign.opened=${opened.url}`, rest.url],
    });
    for (const type of [
      'campaign.opened',
      'campaign.clicked',
      'decision.actioned',
      'brand.new',
      'campaign.opened',
    ]) {
      expect((await post(url, deliveryBody({ type }))).status).toBe(200);
    }
    const kinds = (handler: Target) => handler.received.map(({ body: b }) => JSON.parse(b.toString()).type);
    expect(kinds(clicked)).toEqual(['campaign.clicked']);
    expect(kinds(opened)).toEqual(['campaign.opened', 'campaign.opened']);
    expect(kinds(rest)).toEqual(['decision.actioned', 'brand.new']);
  });

  it('answers a kind without a route itself', async () => {
    const opened = await startHandler();
    const { url, reports } = await startReceiver({ forwardTo: [`campaign.opened=${opened.url}`] });
    expect((await post(url, deliveryBody())).status).toBe(200);
    expect(reports[0]).toMatchObject({ type: 'event', forwarded: undefined });
  });

  it('answers 502 while the handler is down, and reports once that it is down and that it is back', async () => {
    const first = await startHandler();
    const { port } = new URL(first.url);
    await first.close();
    const { url, reports, notices } = await startReceiver({ forwardTo: [first.url] });
    for (let n = 0; n < 3; n++) expect((await post(url, deliveryBody({ n }))).status).toBe(502);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(first.url);
    expect((reports[0] as Verified).forwarded).toMatchObject({
      status: 502,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    await startHandler(undefined, Number(port));
    expect((await post(url, deliveryBody())).status).toBe(200);
    expect(notices).toEqual([
      expect.stringContaining('does not answer'),
      expect.stringContaining('answers again'),
    ]);
  });

  it.each([401, 403])(
    'reports once for each target that it refuses verified deliveries with %i',
    async (status) => {
      const answers = [status, 200, status];
      const refusing = await startHandler((_, response) => response.writeHead(answers.shift()!).end());
      const other = await startHandler((_, response) => response.writeHead(status).end());
      const { url, notices } = await startReceiver({
        forwardTo: [refusing.url, `campaign.opened=${other.url}`],
      });
      for (let n = 0; n < 3; n++) await post(url, deliveryBody({ n }));
      await post(url, deliveryBody({ type: 'campaign.opened' }));
      expect(notices).toEqual([refusing, other].map((one) => `${one.url} refused with ${status}`));
    },
  );

  it('retries on a connection that the handler closed', async () => {
    const handler = await startHandler((_, response) => {
      response.end('{}');
      response.socket?.end();
    });
    const { url } = await startReceiver({ forwardTo: [handler.url] });
    for (let n = 0; n < 20; n++) expect((await post(url, deliveryBody({ n }))).status).toBe(200);
  });
});
