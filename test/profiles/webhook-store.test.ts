import { expect, it } from 'vitest';
import { Profiles } from '../../src/profiles/profiles.ts';
import { removeWebhook, storedWebhooks, storeWebhook, webhookKey } from '../../src/profiles/webhook-store.ts';
import { tempDir } from '../support/temp.ts';

const webhook = (signingSecret: string) => ({
  url: 'https://example.com/hook',
  events: ['campaign.clicked'],
  signingSecret,
  createdAt: '2026-01-31T12:00:00.000Z',
});

it('stores subscriptions per connection until they are removed', async () => {
  const profiles = new Profiles(tempDir());
  const eu = webhookKey({ isLocal: false, baseUrl: 'https://eu.example.com/', workspace: 'ws_1' });
  const us = webhookKey({ isLocal: false, baseUrl: 'https://us.example.com', workspace: 'ws_1' });
  expect(storedWebhooks(profiles, eu)).toEqual({});
  await storeWebhook(profiles, eu, 'wh_1', webhook('one'));
  await storeWebhook(profiles, eu, 'wh_2', webhook('two'));
  await storeWebhook(profiles, us, 'wh_1', webhook('three'));
  await storeWebhook(profiles, eu, 'wh_2', webhook('two, rotated'));
  await removeWebhook(profiles, eu, 'wh_1');
  await removeWebhook(profiles, 'nowhere', 'wh_9');
  expect(storedWebhooks(profiles, eu)).toEqual({ wh_2: webhook('two, rotated') });
  expect(storedWebhooks(profiles, us)).toEqual({ wh_1: webhook('three') });
  expect(webhookKey({ isLocal: false, baseUrl: 'https://eu.example.com', workspace: 'ws_1' })).toBe(eu);
});

it('finds the subscriptions of local, whatever its port', () => {
  const at = (port: number) =>
    webhookKey({ isLocal: true, baseUrl: `http://127.0.0.1:${port}`, workspace: 'w' });
  expect(at(1)).toBe(at(2));
});
