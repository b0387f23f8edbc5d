import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { damagedPath } from '../../src/profiles/contents.ts';
import { Profiles } from '../../src/profiles/profiles.ts';
import { tempDir } from '../support/temp.ts';

const profile = { workspace: 'w', baseUrl: 'https://x.example' };
const webhook = { url: 'https://x.example', events: ['a'], signingSecret: 's', createdAt: 'now' };

it.each([
  { contents: { profiles: {} }, damaged: undefined },
  { contents: {}, damaged: undefined },
  {
    contents: {
      current: 'p',
      profiles: { p: { ...profile, sandbox: true } },
      webhooks: { k: { w: webhook } },
    },
    damaged: undefined,
  },
  { contents: [], damaged: '' },
  { contents: null, damaged: '' },
  { contents: { current: 1, profiles: {} }, damaged: 'current' },
  { contents: { profiles: [] }, damaged: 'profiles' },
  { contents: { profiles: { p: 'text' } }, damaged: 'profiles.p' },
  { contents: { profiles: { p: { workspace: 'w' } } }, damaged: 'profiles.p.baseUrl' },
  { contents: { profiles: { p: { ...profile, apiKey: 1 } } }, damaged: 'profiles.p.apiKey' },
  { contents: { profiles: { p: { ...profile, sandbox: 'yes' } } }, damaged: 'profiles.p.sandbox' },
  {
    contents: { profiles: {}, webhooks: { k: { w: { ...webhook, events: [1] } } } },
    damaged: 'webhooks.k.w.events',
  },
])('the contents of a profiles file are checked: $damaged', ({ contents, damaged }) => {
  expect(damagedPath(contents)).toBe(damaged);
});

it('a change keeps what a newer version of svc added to the file', async () => {
  const dir = tempDir();
  const file = join(dir, 'profiles.json');
  writeFileSync(file, JSON.stringify({ added: 1, profiles: { p: { ...profile, later: [2] } } }));
  await new Profiles(dir).change((contents) => {
    contents.current = 'p';
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    added: 1,
    current: 'p',
    profiles: { p: { ...profile, later: [2] } },
  });
});
