import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../support/receiver.ts';
import { runSvc } from '../../support/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const add = (home: string, name: string, region: string | undefined, baseUrl: string) =>
  runSvc(
    [
      'profiles',
      'add',
      name,
      '--workspace',
      'w',
      '--base-url',
      baseUrl,
      ...(region ? ['--region', region] : []),
    ],
    { home, env: { SVC_API_KEY: 'sk_test_canary' } },
  );

describe('svc regions list', () => {
  it('lists each address once with the profiles that use it', async () => {
    const home = tempDir();
    await add(home, 'b', 'us', 'https://us.example.test');
    await add(home, 'a', 'eu', 'https://eu.example.test/');
    await add(home, 'c', 'eu', 'https://eu.example.test');
    await add(home, 'd', undefined, 'https://some.example.test');
    const run = await runSvc(['regions', 'list', '--json'], { home });
    expect(JSON.parse(run.stdout)).toEqual({
      regions: [
        { region: 'eu', baseUrl: 'https://eu.example.test', profiles: ['a', 'c'] },
        { region: 'us', baseUrl: 'https://us.example.test', profiles: ['b'] },
        { region: null, baseUrl: 'https://some.example.test', profiles: ['d'] },
      ],
    });
  });

  it('measures without a key, and exits 6 naming what did not answer', async () => {
    const home = tempDir();
    const receiver = await startReceiver((response) => void response.writeHead(401).end());
    onTestFinished(() => receiver.close());
    await add(home, 'up', 'eu', receiver.url);
    const up = await runSvc(['regions', 'list', '--ping', '--json'], { home });
    expect(up.code).toBe(0);
    expect(JSON.parse(up.stdout).regions[0]).toMatchObject({ latencyMs: expect.any(Number), error: null });
    for (const { headers } of receiver.received) expect(headers.authorization).toBeUndefined();
    const gone = await startReceiver();
    await gone.close();
    await add(home, 'down', 'us', gone.url);
    const down = await runSvc(['regions', 'list', '--ping'], { home });
    expect(down.code).toBe(6);
    expect(down.stdout).toMatch(/^eu\t.*\tup\t[\d.]+ ms$/m);
    expect(down.stdout).toMatch(/^us\t.*no answer/m);
    expect(down.stderr).toMatch(/ECONNREFUSED/);
    expect(down.stderr).toMatch(/svc doctor --profile down/);
  });

  it('says what to do where there is none', async () => {
    const run = await runSvc(['regions', 'list', '--json']);
    expect(run).toMatchObject({ code: 0, stdout: '{"regions":[]}\n' });
    expect(run.stderr).toMatch(/profiles add/);
  });
});
