import { expect, it, onTestFinished, vi } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { startTestService } from '../../support/process/service.ts';

/** A service whose pieces of bulk work start only when the test lets them. */
async function gated() {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const waiting: (() => void)[] = [];
  let open = true;
  const piece = vi.spyOn(service.platform.precedence, 'yieldToRequests').mockImplementation(async () => {
    if (!open) await new Promise<void>((start) => waiting.push(start));
  });
  const shut = () => {
    open = false;
  };
  const letAllStart = () => {
    open = true;
    for (const start of waiting.splice(0)) start();
  };
  onTestFinished(() => {
    piece.mockRestore();
    letAllStart();
  });
  const post = async (path: string, body: object) => {
    const answer = await service.fetch(path, { body });
    expect(answer.ok).toBe(true);
    return JSON.parse(await answer.text());
  };
  const { users } = await post('/v1/users', { users: [{ userId: 'u1' }] });
  const decide = () => post('/v1/decisioning/decide', { hashId: users[0].hashId });
  return { service, post, decide, waiting, letAllStart, shut };
}

const PATIENCE = { timeout: 100_000 };

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

it.each(['/v1/decisions', '/v1/webhooks', '/v1/events/stream'])(
  'decides while %s waits for its turn',
  async (path) => {
    const { service, decide, waiting, letAllStart, shut } = await gated();
    shut();
    let answered = false;
    const answer = service.fetch(path).then(async (response) => {
      const { value } = await response.body!.getReader().read();
      answered = true;
      return { status: response.status, text: new TextDecoder().decode(value) };
    });
    await vi.waitFor(() => expect(waiting).not.toEqual([]), PATIENCE);
    for (let i = 0; i < 3; i++) expect((await decide()).action.type).toBe('in-app-message');
    expect(answered).toBe(false);
    letAllStart();
    expect((await answer).status).toBe(200);
    expect((await answer).text).not.toBe('');
  },
);

it('decides while deliveries wait, each for its turn to be sent and for its result to be stored', async () => {
  const { service, post, decide, waiting, letAllStart, shut } = await gated();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const webhook = await post('/v1/webhooks', {
    ...{ url: receiver.url, events: ['campaign.clicked'] },
    signingSecret: 'a secret of the receiver',
  });
  const { decisionId } = await decide();
  shut();
  await post(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
  await vi.waitFor(() => expect(waiting).not.toEqual([]), PATIENCE);
  await pause();
  expect(receiver.received).toEqual([]);
  expect((await decide()).action.type).toBe('in-app-message');

  // The round, then sending it; the result waits again.
  await vi.waitFor(() => {
    if (receiver.received.length === 0) for (const start of waiting.splice(0)) start();
    expect(receiver.received).toHaveLength(1);
  }, PATIENCE);
  await vi.waitFor(() => expect(waiting).not.toEqual([]), PATIENCE);
  const list = `/v1/webhooks/${webhook.id}/deliveries`;
  const stored = () =>
    service.platform.store.read((tx) =>
      tx.sql.get<{ status: string }>('SELECT status FROM delivery WHERE workspace_id = ?', [
        service.workspace,
      ]),
    );
  expect((await stored())!.status).toBe('pending');
  letAllStart();
  await vi.waitFor(async () => {
    expect(JSON.parse(await (await service.fetch(list)).text()).deliveries[0].status).toBe('delivered');
  }, PATIENCE);
});
