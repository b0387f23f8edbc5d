import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { bundleLibrary } from '../../scripts/bundle.js';
import { signedHeaders } from '../../src/contract/signed-headers.ts';
import { tempDir } from '../support/temp.ts';

/** What Node.js, Deno, Bun and browsers have in common, as far as the library needs it. */
const { AbortController, AbortSignal, DOMException, TextDecoder, TextEncoder, URL, URLSearchParams } =
  globalThis;
const { atob, clearTimeout, crypto, performance, setTimeout } = globalThis;
const COMMON = {
  ...{ AbortController, AbortSignal, DOMException, TextDecoder, TextEncoder, URL, URLSearchParams },
  ...{ atob, clearTimeout, crypto, performance, setTimeout },
};

/** Runs a bundled entry where nothing else is global, and returns its exports. */
function load<T>(dir: string, name: string): T {
  const text = readFileSync(join(dir, `${name}.mjs`), 'utf8');
  expect(text).not.toMatch(/^import\b|\bimport\s*\(|\brequire\s*\(/m);
  const script = text.replace(
    /^export \{([^}]*)\};?$/m,
    (_, names: string) => `globalThis.exported = {${names}};`,
  );
  expect(script).not.toBe(text);
  const context = createContext({ ...COMMON });
  runInContext(script, context);
  return context.exported as T;
}

it('the library uses what every runtime has, and nothing of Node.js', async () => {
  const dir = tempDir();
  await bundleLibrary(dir);
  const { verifyWebhook } = load<typeof import('../../src/library/webhooks.ts')>(dir, 'webhooks');
  const body = '{"type":"campaign.clicked"}';
  const headers = signedHeaders('dlv_1', Date.now(), Buffer.from(body), ['a secret of it']);
  expect((await verifyWebhook(body, headers, 'a secret of it')).type).toBe('campaign.clicked');
  const plain = { 'x-service-signature': headers['x-service-signature'] };
  expect((await verifyWebhook(body, plain, 'a secret of it')).type).toBe('campaign.clicked');
  await expect(verifyWebhook(body, plain, 'another secret')).rejects.toMatchObject({
    reason: 'wrong-signature',
  });

  const { createClient } = load<typeof import('../../src/library/client.ts')>(dir, 'client');
  const asked: string[] = [];
  const fetch = async (url: unknown) => {
    asked.push(String(url));
    return new Response('{"webhooks":[]}');
  };
  const client = createClient({
    baseUrl: 'https://eu.example.com/base/',
    workspace: 'w',
    apiKey: 'k',
    fetch,
  });
  expect((await client.listWebhooks({ after: '1.a' })).webhooks).toHaveLength(0);
  expect(asked).toEqual(['https://eu.example.com/base/v1/webhooks?after=1.a']);
});
