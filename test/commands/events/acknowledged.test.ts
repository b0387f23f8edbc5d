import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, startReceiver } from '../../support/peers/receiver.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const LIMITS = {
  'X-Service-RateLimit-Limit': '600',
  'X-Service-RateLimit-Remaining': '599',
  'X-Service-RateLimit-Reset': '1769860800',
};
const PAGE = '<!doctype html><html><head><title>Log in</title></head></html>';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A service that gives one answer to everything, and a machine with a file of three events and three users. */
async function place(answer: Answer) {
  const service = await startReceiver(answer);
  onTestFinished(() => service.close());
  const home = tempDir();
  const records = [1, 2, 3].map((n) => `{"userId":"u${n}"`);
  writeFileSync(
    join(home, 'a.ndjson'),
    records.map((each) => `${each},"event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`).join(''),
  );
  writeFileSync(join(home, 'u.ndjson'), records.map((each) => `${each}}\n`).join(''));
  const base = {
    SVC_BASE_URL: service.url.replace(/\/$/, ''),
    SVC_WORKSPACE: 'w',
    SVC_API_KEY: 'k'.repeat(20),
  };
  const svc = (line: string, env: Record<string, string> = base) =>
    runSvc(line.split(' '), { home, cwd: home, env });
  const keys = () => service.received.map(({ headers }) => headers['idempotency-key']);
  return { svc, base, keys };
}

const answers = (status: number, headers = {}, body?: string): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};

test.each<[string, Answer]>([
  ['the rate-limit headers and no body', answers(204, LIMITS)],
  ['the rate-limit headers and another body', answers(200, { ...LIMITS, ...JSON_TYPE }, '{"ok":true}')],
  ['the number of events', answers(202, JSON_TYPE, '{"accepted":3,"duplicates":1}')],
])('%s acknowledges events', async (_, answer) => {
  const { svc } = await place(answer);
  const run = await svc('events import a.ndjson --json');
  expect([run.code, JSON.parse(run.stdout).accepted]).toEqual([0, 3]);
});

test.each<[string, Answer, RegExp]>([
  ['an empty 204', answers(204), /answered 204 with an empty body and without the rate-limit headers/],
  ['an empty 200', answers(200), /answered 200 with an empty body and/],
  ['some of the headers', answers(200, { 'X-Service-RateLimit-Limit': '600' }), /with an empty body and/],
  [
    'a body that counts nothing',
    answers(200, JSON_TYPE, '{"ok":true}'),
    /with 11 bytes that do not count the/,
  ],
])('%s stops with exit 5 and keeps the batch, unless it is admitted', async (_, answer, said) => {
  const { svc, base, keys } = await place(answer);
  const run = await svc('events import a.ndjson --json');
  expect(run.code).toBe(5);
  expect(JSON.parse(run.stdout)).toMatchObject({ accepted: 0, unsent: 3 });
  const { error } = JSON.parse(run.stderr);
  expect([error.code, error.message]).toEqual(['not_acknowledged', expect.stringMatching(said)]);
  expect(error.message).toContain('http://127.0.0.1:');
  const admitted = await svc(/events import .*$/.exec(error.hint)![0]);
  expect(error.hint).toContain('--resume --accept-any-answer');
  expect([admitted.code, admitted.stdout]).toEqual([0, expect.stringContaining(`"accepted":3`)]);
  // The batch was kept: it is sent under the same key.
  expect(new Set(keys()).size).toBe(1);

  const sent = await svc('events send --user-id u --event e --json');
  expect([sent.code, sent.stdout, JSON.parse(sent.stderr).error.code]).toEqual([5, '', 'not_acknowledged']);
  expect((await svc('events send --user-id u --event e --accept-any-answer')).code).toBe(0);
  expect((await svc('users import u.ndjson')).code).toBe(5);

  const add = `profiles add p --workspace w --base-url ${base.SVC_BASE_URL} --no-check --accept-any-answer`;
  expect((await svc(add, { SVC_API_KEY: base.SVC_API_KEY })).code).toBe(0);
  expect((await svc('events import a.ndjson --restart -p p', {})).code).toBe(0);
  expect((await svc('events send --user-id u --event e -p p', {})).code).toBe(0);
  expect(JSON.parse((await svc('profiles show p --json', {})).stdout)).toMatchObject({
    acceptAnyAnswer: true,
  });
});

test.each<[string, Answer, RegExp]>([
  [
    'a login page',
    answers(200, { 'content-type': 'text/html' }, PAGE),
    /is a web page \("Log in"\) that is not/,
  ],
  ['a page with the headers', answers(200, { ...LIMITS, 'content-type': 'text/html' }, '<p>Hi'), /is HTML/],
  [
    'a negative number',
    answers(202, { ...LIMITS, ...JSON_TYPE }, '{"accepted":-5}'),
    /"accepted": -5 for 3 /,
  ],
  [
    'another number',
    answers(202, { ...LIMITS, ...JSON_TYPE }, '{"accepted":2}'),
    /"accepted": 2 for 3 events/,
  ],
  ...['"3"', 'false', 'null', '[]', '{}', '3.5'].map((accepted): [string, Answer, RegExp] => [
    `"accepted": ${accepted}`,
    answers(202, { ...LIMITS, ...JSON_TYPE }, `{"accepted":${accepted}}`),
    /with "accepted": .* for 3 events/,
  ]),
  [
    'an error with a code',
    answers(200, { ...LIMITS, ...JSON_TYPE }, '{"error":"quota","code":"full"}'),
    /with "code": "full" for 3 events/,
  ],
  ...['"rejected":3', '"rejected":"1"', '"errors":[{"index":0}]', '"errors":{"0":"bad"}'].map(
    (rest): [string, Answer, RegExp] => [
      `a count beside ${rest}`,
      answers(202, { ...LIMITS, ...JSON_TYPE }, `{"accepted":3,${rest}}`),
      /with "(rejected|errors)": .* for 3 events/,
    ],
  ),
  ['a page without a body', answers(200, { ...LIMITS, 'content-type': 'text/html' }), /is HTML:/],
  [
    'a page that is called XHTML',
    answers(200, { ...LIMITS, 'content-type': 'application/xhtml+xml' }, 'Hi'),
    /is HTML:/,
  ],
  ...[`<!-- portal -->\n${PAGE}`, `<?xml version="1.0"?>${PAGE}`, `\ufeff\n${PAGE}`].map(
    (text): [string, Answer, RegExp] => [
      `a page that begins with ${text.slice(0, 5)}`,
      answers(200, { ...LIMITS, ...JSON_TYPE }, text),
      /is a web page \("Log in"\)/,
    ],
  ),
])('%s is never an acknowledgement', async (_, answer, said) => {
  const { svc } = await place(answer);
  for (const more of ['', ' --resume --accept-any-answer']) {
    const run = await svc(`events import a.ndjson${more}`);
    expect([run.code, run.stdout]).toEqual([5, expect.stringMatching(/accepted 0\n(.*\n)*.*unsent {3}3\n/)]);
    expect(run.stderr).toMatch(said);
    expect(run.stderr).toMatch(/next: find out what answers: svc doctor\n {8}then resume: .* --resume\n/);
  }
  expect((await svc('events send --user-id u --event e --accept-any-answer')).code).toBe(5);
});

test.each([
  '{"accepted":3,"rejected":0,"errors":[]}',
  '{"accepted":3,"rejected":null,"error":null,"code":null}',
])('%s says that nothing was rejected', async (body) => {
  const { svc } = await place(answers(202, JSON_TYPE, body));
  expect((await svc('events import a.ndjson')).code).toBe(0);
});

test('an entry for each user acknowledges users', async () => {
  const users = [1, 2, 3].map((n) => ({ userId: `u${n}`, hashId: `h${n}` }));
  const all = await place(answers(200, JSON_TYPE, JSON.stringify({ users })));
  expect(await all.svc('users import u.ndjson')).toMatchObject({
    code: 0,
    stdout: 'u1\th1\nu2\th2\nu3\th3\n',
  });
  const some = await place(answers(200, JSON_TYPE, JSON.stringify({ users: users.slice(1) })));
  expect(await some.svc('users import u.ndjson')).toMatchObject({ code: 5, stdout: '' });
});
