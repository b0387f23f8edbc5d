import { describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { identify, open } from '../../support/process/decisions-service.ts';

describe('users', () => {
  test('get a stable, opaque hashId that differs between workspaces', async () => {
    const one = await open();
    const first = await identify(one, { userId: 'u1', name: 'Ada' });
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await identify(one, { userId: 'u1', phone: '1' })).toBe(first);
    expect(await identify(one, { userId: 'u2' })).not.toBe(first);
    const two = await open();
    expect(await identify(two, { userId: 'u1' })).not.toBe(first);
  });

  test('answers come in the order of the request, 1,000 at a time', async () => {
    const service = await open();
    const users = Array.from({ length: 1000 }, (_, i) => ({ userId: `u${i % 700}`, traits: { n: i } }));
    const { status, body } = await service.send<AnswerOf<'ingestUsers'>>('POST', '/v1/users', { users });
    expect(status).toBe(200);
    expect(body.users.map((u) => u.userId)).toEqual(users.map((u) => u.userId));
    expect(new Set(body.users.map((u) => u.hashId)).size).toBe(700);
    const none = await service.send('POST', '/v1/users', { users: [] });
    expect([none.status, none.body.error]).toEqual([400, 'invalid_request']);
  });
});
