import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

it('serves the script of web pages by its name and by its hash, without a key', async () => {
  const file = join(tempDir(), 'app.js');
  writeFileSync(file, 'var svc = 1;');
  const { url } = await startTestService({ appScript: file });
  const named = await fetch(`${url}/v1/app.js`);
  expect([named.status, await named.text()]).toEqual([200, readFileSync(file, 'utf8')]);
  expect(named.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(named.headers.get('access-control-allow-origin')).toBe('*');
  expect(named.headers.get('access-control-expose-headers')).toBe('date');
  expect(Math.abs(Date.parse(named.headers.get('date')!) - Date.now())).toBeLessThan(60_000);
  expect(named.headers.get('cache-control')).toBe('public, max-age=300');
  const hash = createHash('sha384').update(readFileSync(file)).digest('hex').slice(0, 16);
  const hashed = await fetch(`${url}/v1/app-${hash}.js`);
  expect([hashed.status, hashed.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
  const etag = named.headers.get('etag')!;
  const again = await fetch(`${url}/v1/app.js`, { headers: { 'if-none-match': `"other", W/${etag}` } });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  expect((await fetch(`${url}/v1/app.js`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${url}/v1/app-0123456789abcdef.js`)).status).toBe(404);
});

it('serves none where none was built', async () => {
  for (const appScript of [undefined, join(tempDir(), 'none.js')]) {
    const { url } = await startTestService({ appScript });
    expect((await fetch(`${url}/v1/app.js`)).status).toBe(404);
  }
});
