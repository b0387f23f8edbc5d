import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { type RunningSvc, runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const add = (home: string, name: string, region: string | undefined, baseUrl: string) =>
  runSvc(
    [
      'profiles',
      'add',
      name,
      '--no-check',
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

  it('measures without a key, and exits with 6 if an address does not answer', async () => {
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

  it('shows the region of each address, and marks a mismatch with the profile', async () => {
    const service = await startTestService({ region: 'eu' });
    const home = tempDir();
    await add(home, 'right', 'eu', service.url);
    await add(home, 'wrong', 'us', service.url.replace('127.0.0.1', 'localhost'));
    const silent = await startReceiver();
    onTestFinished(() => silent.close());
    await add(home, 'silent', 'ap', silent.url);
    const run = await runSvc(['regions', 'list', '--ping'], { home });
    expect(run.code).toBe(0);
    const rows = run.stdout.split('\n').map((line) => line.split('\t'));
    expect(rows.map(([region, answered, , name]) => [region, answered, name])).toEqual([
      ['REGION', 'ANSWERED', 'PROFILES'],
      ['ap', '-', 'silent'],
      ['eu', 'eu', 'right'],
      ['us', 'eu (mismatch)', 'wrong'],
      ['', undefined, undefined],
    ]);
    expect(run.stderr).toMatch(/^warning: \S+ answers from eu, not from us: svc doctor --profile wrong\n$/);
    const json = JSON.parse((await runSvc(['regions', 'list', '--ping', '--json'], { home })).stdout);
    expect(json.regions.map((one: { answered: string | null }) => one.answered)).toEqual([null, 'eu', 'eu']);
  });

  it('exits on Ctrl-C while an address does not answer', async () => {
    const home = tempDir();
    const asked = new Promise<void>((resolve) => {
      const server = createServer((socket) => socket.on('error', () => {}).once('data', () => resolve()));
      server.listen(0, '127.0.0.1', async () => {
        const { port } = server.address() as AddressInfo;
        await add(home, 'hangs', 'eu', `http://127.0.0.1:${port}`);
        run = startSvc(['regions', 'list', '--ping'], { home });
      });
      onTestFinished(() => void server.close());
    });
    let run: RunningSvc | undefined;
    await asked;
    run!.interrupt();
    expect(await run!.done).toEqual({
      code: 130,
      stdout: '',
      stderr: 'error: interrupted\n  next: svc regions list --ping\n',
    });
  });

  it('names the next step if there are no profiles', async () => {
    const run = await runSvc(['regions', 'list', '--json']);
    expect(run).toMatchObject({ code: 0, stdout: '{"regions":[]}\n' });
    const words = await runSvc(['regions', 'list', '--ping'], { columns: 80 });
    expect(words.stdout).toMatch(/^no profiles; add one: svc profiles add .*\n$/);
  });
});
