import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundleLibrary } from '../../scripts/bundle.js';
import { deliveryHeaders } from '../../src/contract/delivery-headers.ts';
import { tempDir } from '../support/temp.ts';

it('the library uses what every runtime has: nothing of Node.js is imported or global', async () => {
  const dir = tempDir();
  await bundleLibrary(dir);
  for (const name of ['client', 'webhooks']) {
    const text = readFileSync(join(dir, `${name}.mjs`), 'utf8');
    expect(text).not.toMatch(/\bfrom\s*["']|\bimport\s*\(|\brequire\s*\(/);
  }
  const body = '{"type":"campaign.clicked"}';
  const headers = deliveryHeaders('dlv_1', Date.now(), Buffer.from(body), ['a secret of it']);
  // Without the globals that only Node.js has.
  const script = `
    await new Response('loads what is behind it').text();
    for (const name of ['process', 'Buffer', 'setImmediate', 'clearImmediate']) delete globalThis[name];
    const { verifyWebhook } = await import(${JSON.stringify(pathToFileURL(join(dir, 'webhooks.mjs')).href)});
    const { createClient } = await import(${JSON.stringify(pathToFileURL(join(dir, 'client.mjs')).href)});
    const { type } = await verifyWebhook(${JSON.stringify(body)}, ${JSON.stringify(headers)}, 'a secret of it');
    const fetch = async (url) => new Response(JSON.stringify({ webhooks: [String(url)] }));
    const client = createClient({ baseUrl: 'https://eu.example.com/base/', workspace: 'w', apiKey: 'k', fetch });
    const { webhooks } = await client.listWebhooks({ after: '1.a' });
    console.log(JSON.stringify({ type, webhooks }));
  `;
  const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(run.stderr).toBe('');
  expect(JSON.parse(run.stdout)).toEqual({
    type: 'campaign.clicked',
    webhooks: ['https://eu.example.com/base/v1/webhooks?after=1.a'],
  });
});
