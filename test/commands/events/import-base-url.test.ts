import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

test('the base URL in any spelling is one destination of an import, of the limits and of a profile', async () => {
  const service = await startReceiver((response) => {
    response.writeHead(202, {
      'content-type': 'application/json',
      'X-Service-RateLimit-Limit': '600',
      'X-Service-RateLimit-Remaining': '599',
      'X-Service-RateLimit-Reset': '1769860800',
    });
    response.end('{"accepted":1}');
  });
  onTestFinished(() => service.close());
  const home = tempDir();
  writeFileSync(join(home, 'a.ndjson'), '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n');
  const { port } = new URL(service.url);
  const svc = (line: string, url: string) =>
    runSvc(line.split(' '), {
      home,
      cwd: home,
      env: { SVC_BASE_URL: url, SVC_WORKSPACE: 'w', SVC_API_KEY: 'k'.repeat(20) },
    });
  const plain = `http://127.0.0.1:${port}`;
  expect((await svc('events import a.ndjson', plain)).code).toBe(0);
  const spellings = [`${plain}/`, `${plain}//`, `HTTP://127.0.0.1:0${port}`, `127.0.0.1:${port}`];
  for (const url of spellings) {
    const again = await svc('events import a.ndjson', url);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('nothing is sent')]);
    const limits = JSON.parse((await svc('limits --json', url)).stdout);
    expect(JSON.stringify(limits)).toContain('"remaining":599');
  }
  expect(service.received).toHaveLength(1);
  const add = await svc(`profiles add p --workspace w --base-url ${spellings[2]}/ --no-check`, plain);
  expect(add.code).toBe(0);
  expect(JSON.parse((await svc('profiles show p --json', plain)).stdout).baseUrl).toBe(plain);
});
