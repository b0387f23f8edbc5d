import { expect, it } from 'vitest';
import { Profiles } from '../../src/profiles/profiles.ts';
import { forgetWebhook, keepWebhook, keptUnder, keptWebhooks } from '../../src/profiles/webhook-store.ts';
import { tempDir } from '../support/temp.ts';

const webhook = (signingSecret: string) => ({
  url: 'https://example.com/hook',
  events: ['campaign.clicked'],
  signingSecret,
  createdAt: '2026-01-31T12:00:00.000Z',
});

it('keeps the subscriptions of each connection apart, until they are forgotten', async () => {
  const profiles = new Profiles(tempDir());
  const eu = keptUnder({ isLocal: false, baseUrl: 'https://eu.example.com/', workspace: 'ws_1' });
  const us = keptUnder({ isLocal: false, baseUrl: 'https://us.example.com', workspace: 'ws_1' });
  expect(keptWebhooks(profiles, eu)).toEqual({});
  await keepWebhook(profiles, eu, 'wh_1', webhook('one'));
  await keepWebhook(profiles, eu, 'wh_2', webhook('two'));
  await keepWebhook(profiles, us, 'wh_1', webhook('three'));
  await keepWebhook(profiles, eu, 'wh_2', webhook('two, rotated'));
  await forgetWebhook(profiles, eu, 'wh_1');
  await forgetWebhook(profiles, 'nowhere', 'wh_9');
  expect(keptWebhooks(profiles, eu)).toEqual({ wh_2: webhook('two, rotated') });
  expect(keptWebhooks(profiles, us)).toEqual({ wh_1: webhook('three') });
  expect(keptUnder({ isLocal: false, baseUrl: 'https://eu.example.com', workspace: 'ws_1' })).toBe(eu);
});

it('finds those of local again, whatever port it has in this process', () => {
  const at = (port: number) =>
    keptUnder({ isLocal: true, baseUrl: `http://127.0.0.1:${port}`, workspace: 'w' });
  expect(at(1)).toBe(at(2));
});
