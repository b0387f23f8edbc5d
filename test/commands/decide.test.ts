import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { cannedService } from '../support/peers/canned-service.ts';
import { runSvc, startSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const ANSWER =
  '{"decisionId":"d1","action":{"type":"in-app-message","contentId":"c1","ranking":0.5,"reason":"r"}}';

describe('the request', () => {
  test('has exactly the shape of the specification, without unset fields', async () => {
    const { env, requests } = await cannedService(() => ({ body: ANSWER }));
    await runSvc(['decide', '--hash-id', 'h1'], { env });
    await runSvc(
      [
        ...['decide', '--hash-id', 'h1', '--channel', 'in-app', '--surface', 'home', '--locale', 'en-GB'],
        ...['--exclude-category', 'promo', '--exclude-category', 'news', '--max-daily-contacts', '3'],
      ],
      { env },
    );
    await runSvc(['decide', '--hash-id', 'h1', '--surface', 'home', '--max-daily-contacts', '0'], { env });
    expect(requests.map((request) => request.body)).toEqual([
      '{"hashId":"h1"}',
      '{"hashId":"h1","context":{"channel":"in-app","surface":"home","locale":"en-GB"},' +
        '"guardrails":{"excludeCategories":["promo","news"],"maxDailyContacts":3}}',
      '{"hashId":"h1","context":{"surface":"home"},"guardrails":{"maxDailyContacts":0}}',
    ]);
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/v1/decisioning/decide' });
    expect(requests[0]!.headers['content-type']).toBe('application/json');
  });

  test('sends further fields of the context with their types', async () => {
    const { env, requests } = await cannedService(() => ({ body: ANSWER }));
    const fields = ['daypart=morning', 'items=3', 'night=false', 'note=a=b', 'zip=01067'];
    await runSvc(
      ['decide', '--hash-id', 'h1', '--surface', 'home', ...fields.flatMap((f) => ['--context', f])],
      { env },
    );
    expect(JSON.parse(requests[0]!.body)).toEqual({
      hashId: 'h1',
      context: { surface: 'home', daypart: 'morning', items: 3, night: false, note: 'a=b', zip: '01067' },
    });
    const bad = await runSvc(['decide', '--hash-id', 'h1', '--context', 'daypart'], { env });
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringMatching(/not of the form key=value/)]);
    for (const field of ['items=4', 'surface=cart']) {
      const flags = ['--surface', 'home', '--context', 'items=3', '--context', field];
      const twice = await runSvc(['decide', '--hash-id', 'h1', ...flags], { env });
      const [name] = field.split('=');
      expect([twice.code, twice.stderr]).toEqual([
        2,
        expect.stringContaining(`the field ${name} of the context is given twice`),
      ]);
    }
  });

  test('needs a user', async () => {
    const { code, stderr } = await runSvc(['decide', '--surface', 'home'], { env: {} });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/no user is given[\s\S]*--hash-id/)]);
    expect((await runSvc(['decide', '--hash-id', 'h', '--max-daily-contacts', '-1'])).code).toBe(2);
    expect((await runSvc(['decide', '--hash-id', 'h', '--input', '-'])).code).toBe(2);
  });
});

describe('the answer', () => {
  test('is a table with the ranking as a bar, and the reason', async () => {
    const { env } = await startTestService();
    const { code, stdout, stderr } = await runSvc(['decide', '--hash-id', 'h', '--surface', 'home'], {
      env,
      columns: 100,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/chosen.*\w+.*[█▉▊▋▌▍▎▏].* 0\.\d{3}.*in-app-message/);
    expect(stdout.match(/next/g)).toHaveLength(3);
    // A longer reason, of a content that is not the best, is wrapped.
    expect(stdout).toMatch(/reason {4}Eligible on home[^;]*; [\s\S]*no\s+outcomes\s+yet/);
  });

  test('is printed unchanged with --json', async () => {
    const body =
      '{ "decisionId":"d1","action":{"type":"sms","contentId":"c","ranking":1.0,"reason":"r","odd":12345678901234567890},' +
      '"alternatives":[],"extra":{"a":null} }';
    const { env } = await cannedService(() => ({ body }));
    expect(await runSvc(['decide', '--hash-id', 'h', '--json'], { env })).toEqual({
      code: 0,
      stdout: `${body}\n`,
      stderr: '',
    });
  });

  test.each([
    [
      'unknown fields and another type',
      ANSWER.replace('in-app-message', 'phone-call').replace('}}', ',"x":[1]}}'),
    ],
    ['no alternatives', ANSWER],
    ['a null action', '{"decisionId":"d1","action":null,"alternatives":null}'],
    [
      'no content',
      '{"decisionId":"d1","action":{"type":"none","contentId":null,"ranking":0,"reason":"why"}}',
    ],
    ['a ranking that is none', ANSWER.replace('0.5', '"high"').replace('"r"', '{"code":7}')],
    ['no body', ''],
    ['no JSON', '<p>ok</p>'],
    ['a list', '[1]'],
  ])('is printed, not refused: %s', async (_, body) => {
    const { env } = await cannedService(() => ({ status: 201, body }));
    const table = await runSvc(['decide', '--hash-id', 'h'], { env });
    expect([table.code, table.stderr]).toEqual([0, '']);
    expect(table.stdout.trim()).not.toBe('');
    const json = await runSvc(['decide', '--hash-id', 'h', '--json'], { env });
    expect([json.code, json.stderr]).toEqual([0, '']);
    JSON.parse(json.stdout);
  });

  test('is printed without control characters', async () => {
    const body = JSON.stringify({
      decisionId: 'd\u001b[2J',
      action: { contentId: 'c\u009b', reason: 'r\u202e' },
    });
    const { env } = await cannedService(() => ({ body }));
    for (const more of [[], ['--json']]) {
      const { stdout } = await runSvc(['decide', '--hash-id', 'h', ...more], { env });
      expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/);
    }
  });

  test('shows the limits on request, and the message of a refusal', async () => {
    const { env } = await startTestService({ limits: { decisions: 600 } });
    const seen = await runSvc(['decide', '--hash-id', 'h', '--show-limits', '--json'], { env });
    expect(seen.stderr).toMatch(/x-service-ratelimit-limit: 600 {2}x-service-ratelimit-remaining: 599/);
    const refused = await runSvc(['decide', '--hash-id', 'h'.repeat(300), '--json'], { env });
    expect(refused.code).toBe(5);
    expect(JSON.parse(refused.stderr).error.message).toMatch(/hashId must have at most 256 characters/);
  });
});

describe('--input', () => {
  test('reports progress every ten seconds if stdout is redirected', async () => {
    const { env } = await startTestService();
    const clock = new VirtualClock(Date.now());
    const stdin = new PassThrough();
    const running = startSvc(['decide', '--input', '-'], { env, stdin, clock });
    stdin.write('a\nb\n');
    await running.waitFor(/\n.+\n/);
    await clock.advance(10_000);
    await running.waitFor(/^2 lines answered\n$/, 'stderr');
    stdin.end();
    expect((await running.done).code).toBe(0);
  });

  test('says on local how to lift the limit that delays it', async () => {
    const home = tempDir();
    // So low that a slow machine reaches it within its minute, too.
    const serving = startSvc(['serve', '--port', '0', '--limit', 'decisions=20'], { home });
    await serving.waitFor(/serving on/);
    serving.interrupt();
    await serving.done;
    const running = startSvc(['decide', '--input', '-', '--surface', 'home', '--profile', 'local'], {
      home,
      stdin: Array.from({ length: 60 }, (_, i) => i.toString(16).padStart(64, '0')).join('\n'),
    });
    const paced =
      "paced to 20 requests a minute by the service's limit; to lift it, run once: svc serve --limit decisions=off\n";
    await running.waitFor(new RegExp(`^${paced}`), 'stderr');
    running.interrupt();
    expect((await running.done).code).toBe(130);
  });

  test('answers a thousand bare hashIds in order', async () => {
    const { env } = await startTestService();
    const ids = Array.from({ length: 1000 }, (_, i) => `user-${i}`);
    const { code, stdout, stderr } = await runSvc(
      ['decide', '--input', '-', '--surface', 'home', '--quiet'],
      {
        env,
        stdin: ids.join('\n'),
      },
    );
    expect([code, stderr]).toEqual([0, '']);
    const out = lines(stdout);
    expect(out.map((line) => line.request.hashId)).toEqual(ids);
    for (const line of out) {
      expect(line.request.context).toEqual({ surface: 'home' });
      expect(line.response.decisionId).toMatch(/^dec_/);
    }
  });

  test('accepts whole requests, completed by flags, and continues after a bad line', async () => {
    const { env } = await startTestService();
    const input = [
      '\uFEFFplain-id',
      '',
      '{"hashId":"h2","context":{"surface":"account"}}',
      '{"hashId":',
      '{"context":{}}',
      '"quoted"',
      `{"hashId":"${'x'.repeat(300)}"}`,
      '{"hashId":"h3","context":"home"}',
      '  last-id  ',
    ].join('\r\n');
    const { code, stdout, stderr } = await runSvc(
      ['decide', '--input', '-', '--surface', 'home', '--max-daily-contacts', '5'],
      { env, stdin: input },
    );
    expect(code).toBe(7);
    expect(stderr).toMatch(/4 of 8 lines failed[\s\S]*jq/);
    const out = lines(stdout);
    const guardrails = { maxDailyContacts: 5 };
    expect(out.map((line) => line.request)).toEqual([
      { hashId: 'plain-id', context: { surface: 'home' }, guardrails },
      { hashId: 'h2', context: { surface: 'account' }, guardrails },
      '{"hashId":',
      '{"context":{}}',
      { hashId: 'quoted', context: { surface: 'home' }, guardrails },
      { hashId: 'x'.repeat(300), context: { surface: 'home' }, guardrails },
      '{"hashId":"h3","context":"home"}',
      { hashId: 'last-id', context: { surface: 'home' }, guardrails },
    ]);
    expect(out.map((line) => line.error?.code ?? 'ok')).toEqual([
      'ok',
      'ok',
      'usage',
      'usage',
      'ok',
      'refused',
      'usage',
      'ok',
    ]);
    expect(out[5].error.requestId).toMatch(/^req_/);
  });

  test('writes each answer without waiting for the end of the input', async () => {
    const { env } = await startTestService();
    const stdin = new PassThrough();
    const running = startSvc(['decide', '--input', '-'], { env, stdin });
    stdin.write('one\ntw');
    await running.waitFor(/"hashId":"one"/);
    stdin.write('o\n');
    await running.waitFor(/"hashId":"two"/);
    stdin.end();
    expect((await running.done).code).toBe(0);
  });

  test('answers the lines that were read before Ctrl-C', async () => {
    const { env } = await startTestService();
    const stdin = new PassThrough();
    const running = startSvc(['decide', '--input', '-'], { env, stdin });
    stdin.write('one\n');
    await running.waitFor(/"hashId":"one"/);
    running.interrupt();
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    expect(lines(stdout)).toHaveLength(1);
  });

  test('an interruption does not send what waits for the limit, and says after which line to go on', async () => {
    const clock = new VirtualClock(Date.now());
    const reset = String(Math.ceil(clock.now() / 1000) + 60);
    const { env, requests } = await cannedService(() => {
      const remaining = String(Math.max(0, 3 - requests.length));
      return {
        headers: {
          'x-service-ratelimit-limit': '3',
          'x-service-ratelimit-remaining': remaining,
          'x-service-ratelimit-reset': reset,
        },
        body: ANSWER,
      };
    });
    const running = startSvc(['decide', '--input', '-'], {
      env,
      clock,
      stdin: `a\n\nb\nc\n${Array.from({ length: 40 }, (_, i) => `later-${i}`).join('\n')}`,
    });
    await running.waitFor(/"hashId":"a"/);
    running.interrupt();
    const { code, stdout, stderr } = await running.done;
    expect(code).toBe(130);
    const sent = requests.length;
    expect(lines(stdout)).toHaveLength(sent);
    expect(sent).toBeLessThan(4);
    expect(stderr).toContain(`interrupted after ${sent} lines; all of them are answered`);
    // A blank line was read behind the first one.
    expect(stderr).toContain(`tail -n +${sent === 1 ? 2 : sent + 2} | `);
  });

  test('stops if no further line can succeed', async () => {
    const { env } = await startTestService();
    const { code, stdout } = await runSvc(['decide', '--input', '-'], {
      env: { ...env, SVC_API_KEY: 'sk_test_wrong' },
      stdin: Array.from({ length: 5000 }, (_, i) => `u${i}`).join('\n'),
    });
    expect(code).toBe(4);
    expect(lines(stdout).length).toBeLessThan(200);
  });

  test('names a missing file', async () => {
    const { env } = await startTestService();
    const { code, stderr } = await runSvc(['decide', '--input', 'nowhere.txt'], { env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/no such file: nowhere.txt/)]);
  });

  test('prints an answer unchanged, on one line', async () => {
    const { env } = await cannedService(({ body }) => ({
      body: body.includes('"b"') ? 'no json' : '{\n  "n": 12345678901234567890\n}\n',
    }));
    const { stdout } = await runSvc(['decide', '--input', '-'], { env, stdin: 'a\nb\n' });
    expect(stdout).toBe(
      '{"request":{"hashId":"a"},"response":{   "n": 12345678901234567890 }}\n' +
        '{"request":{"hashId":"b"},"response":"no json"}\n',
    );
  });
});
