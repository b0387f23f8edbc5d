import { describe, expect, it } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { json, kinds, secret, subscribe } from '../../support/process/webhooks-service.ts';

describe('webhook management', () => {
  it('creates, lists, gets, changes and removes, and never returns the secret', async () => {
    const service = await startTestService();
    const made = await subscribe(service, 'https://example.com/hook');
    expect(made).toEqual({
      id: expect.stringMatching(/^wh_/),
      url: 'https://example.com/hook',
      events: kinds,
      status: 'active',
      secretVersion: 1,
      secretSince: expect.stringMatching(/Z$/),
      createdAt: expect.stringMatching(/Z$/),
    });
    const path = `/v1/webhooks/${made.id}`;
    expect(await json(service.fetch('/v1/webhooks'), 200)).toEqual({ webhooks: [made] });
    expect(await json(service.fetch(path), 200)).toEqual({
      ...made,
      performance: expect.any(Object),
      pending: 0,
    });
    const change = { url: 'https://example.com/other', events: ['campaign.opened'], status: 'disabled' };
    expect(await json(service.fetch(path, { method: 'PATCH', body: change }), 200)).toEqual({
      ...made,
      ...change,
      disabledReason: 'disabled by request',
      disabledAt: expect.stringMatching(/Z$/),
    });
    const again = await json(service.fetch(path, { method: 'PATCH', body: { status: 'active' } }), 200);
    expect(again.disabledReason).toBeUndefined();
    const rotated = await json(
      service.fetch(`${path}/rotate`, { body: { signingSecret: 'x'.repeat(16) } }),
      200,
    );
    expect(rotated.status).toBe('active');
    expect(await json(service.fetch(path, { method: 'DELETE' }), 204)).toBeUndefined();
    await json(service.fetch(path), 404);
    await json(service.fetch(path, { method: 'DELETE' }), 404);
    await json(service.fetch(path, { method: 'PATCH', body: {} }), 404);
    await json(service.fetch(`${path}/deliveries`), 404);
    expect(await json(service.fetch('/v1/webhooks'), 200)).toEqual({ webhooks: [] });
  });

  it('rejects URLs that are not public, at creation and at change', async () => {
    const service = await startTestService();
    const { id } = await subscribe(service, 'https://example.com/hook');
    for (const url of [
      'http://example.com/',
      'https://127.1/',
      'https://[::ffff:10.0.0.1]/',
      'https://u@a.example/',
    ]) {
      for (const refused of [
        service.fetch('/v1/webhooks', { body: { url, events: kinds, signingSecret: secret } }),
        service.fetch(`/v1/webhooks/${id}`, { method: 'PATCH', body: { url } }),
      ]) {
        const body = await json(refused, 400);
        expect(body).toMatchObject({ error: 'invalid_request', details: [{ field: 'url' }] });
      }
    }
    const short = { url: 'https://example.com/', events: kinds, signingSecret: 'x'.repeat(15) };
    await json(service.fetch('/v1/webhooks', { body: short }), 400);
  });

  it('isolates workspaces', async () => {
    const service = await startTestService();
    const { id } = await subscribe(service, 'https://example.com/hook');
    const other = await startTestService();
    for (const path of [`/v1/webhooks/${id}`, `/v1/webhooks/${id}/deliveries`])
      await json(other.fetch(path), 404);
  });

  it('repeats the first answer for the same idempotency key', async () => {
    const service = await startTestService();
    const request = {
      body: { url: 'https://example.com/hook', events: kinds, signingSecret: secret },
      headers: { 'idempotency-key': 'k1' },
    };
    const first = await json(service.fetch('/v1/webhooks', request), 201);
    expect(await json(service.fetch('/v1/webhooks', request), 201)).toEqual(first);
    expect((await json(service.fetch('/v1/webhooks'), 200)).webhooks.length).toBe(1);
  });
});
