import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS as KNOWN } from '../../../src/program/commands.gen.ts';
import { ATTACKS, type Attack, startHostile } from '../../support/peers/hostile-service.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { type Finished, runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Every command that calls a service. FILE and USERS stand for input files. */
const COMMANDS: string[][] = [
  ['api', 'GET', '/v1/webhooks', '-i'],
  ['catalog', 'diff', 'CATALOG'],
  ['catalog', 'get'],
  ['catalog', 'put', 'CATALOG'],
  ['catalog', 'revert', '1'],
  ['catalog', 'versions'],
  ['clock', 'advance', '3h'],
  ['clock', 'show'],
  ['contents', 'get', 'c'],
  ['contents', 'list'],
  ['decide', '--hash-id', 'h'],
  ['decide', '--input', 'FILE'],
  ['decisions', 'evaluate'],
  ['decisions', 'get', 'd'],
  ['decisions', 'list'],
  ['decisions', 'reward', 'd', '0.5'],
  ['doctor'],
  ['doctor', '--probe'],
  ['events', 'delete', '--event', 'e', '--yes'],
  ['events', 'import', 'FILE', '--restart'],
  ['events', 'plan', '--status'],
  ['events', 'send', '--user-id', 'u', '--event', 'e'],
  ['events', 'tail', '--count', '1'],
  ['limits', '--refresh'],
  ['messages', 'list', '--hash-id', 'h'],
  ['messages', 'list', '--hash-id', 'h', '--peek'],
  ['model'],
  ['messages', 'outcome', 'd', 'opened'],
  ['notifications', 'cancel', 'n'],
  ['notifications', 'get', 'n'],
  ['notifications', 'list'],
  ['notifications', 'outcome', 'n', 'opened'],
  ['notifications', 'trigger', '--hash-id', 'h', '--template', 'welcome', '--channel', 'sms'],
  ['notifications', 'watch', 'n', '--wait-timeout', '1s'],
  ['users', 'delete', '--hash-id', 'h', '--yes'],
  ['users', 'get', '--hash-id', 'h'],
  ['users', 'import', 'USERS', '--restart'],
  ['users', 'timeline', '--hash-id', 'h'],
  ['users', 'token', '--hash-id', 'h'],
  ['webhooks', 'create', '--url', 'https://x.example/h', '--event', 'campaign.opened'],
  ['webhooks', 'delete', 'w'],
  ['webhooks', 'deliveries', 'w'],
  ['webhooks', 'deliveries', '--limit', '2'],
  ['webhooks', 'get', 'w'],
  ['notifications', 'preview', '--template', 't', '--channel', 'sms'],
  ['webhooks', 'list'],
  ['webhooks', 'delivery', 'd'],
  ['webhooks', 'redeliver', 'w', 'd'],
  ['webhooks', 'rotate', 'w'],
  ['webhooks', 'update', 'w', '--status', 'disabled'],
];

/** Commands that call no service whose answer they would show. */
const WITHOUT =
  /^(commands|complete|completion|console|data|demo|imports|keys|plugins|profiles|regions|serve|workspaces)(:|$)|^catalog:validate$|^events:(inspect|sources)$|^users:export$|^webhooks:(listen|replay|send|sign|test|verify)$/;

it('covers every command', () => {
  const called = new Set(
    COMMANDS.flatMap(([first, second]) => [first, `${first}:${second}`]).filter((id) => id! in KNOWN),
  );
  expect(Object.keys(KNOWN).filter((id) => !WITHOUT.test(id) && !called.has(id))).toEqual([]);
});

/** Control characters but tab and newline, and what reorders or hides text. */
const RAW =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

function inputs(home: string, argv: readonly string[]): string[] {
  writeFileSync(
    join(home, 'events.ndjson'),
    '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z","hashId":"h"}\n'.replace(
      ',"hashId":"h"',
      '',
    ),
  );
  writeFileSync(join(home, 'users.ndjson'), '{"userId":"u"}\n');
  writeFileSync(join(home, 'hashes.txt'), 'h\n');
  writeFileSync(join(home, 'catalog.json'), '{"contents":[]}');
  const file = argv[0] === 'decide' ? 'hashes.txt' : 'events.ndjson';
  return argv.map((word) =>
    word === 'CATALOG'
      ? join(home, 'catalog.json')
      : word === 'FILE'
        ? join(home, file)
        : word === 'USERS'
          ? join(home, 'users.ndjson')
          : word,
  );
}

function checkJson({ code, stdout, stderr }: Finished): void {
  expect((stdout + stderr).match(RAW)?.[0]).toBeUndefined();
  for (const line of stdout.split('\n')) if (line !== '') expect(() => JSON.parse(line), line).not.toThrow();
  expect(code).not.toBe(1);
  if (code === 0) return;
  const last = stderr.trim().split('\n').at(-1)!;
  expect(JSON.parse(last).error).toMatchObject({ exitCode: code, hint: expect.any(String) });
}

/** One command for each way to read an answer: an endless one costs the most to read, and only the reader matters. */
const READERS = /^(api|decide --input|doctor$|events (import|tail)|limits|notifications watch|webhooks list)/;

const quick = ['--max-retries', '0', '--timeout', '5'];

describe.each(Object.keys(ATTACKS) as Attack[])('a service that attacks by %s', (attack) => {
  const commands = COMMANDS.map((argv) => [argv.join(' '), argv] as const);
  it.each(attack === 'endless' ? commands.filter(([line]) => READERS.test(line)) : commands)(
    'does no harm through svc %s',
    async (_, argv) => {
      const { env } = await startHostile(attack);
      const home = tempDir();
      const words = [...inputs(home, argv), ...quick];

      const json = await runSvc([...words, '--json', '--quiet'], { env, home });
      checkJson(json);
      // An endless answer is the same in every dress.
      if (attack === 'endless') return;

      const shown = await runSvc(words, { env, home, columns: 80 });
      // Our own colours, the redrawing of a line and of the cursor.
      const visible = (shown.stdout + shown.stderr)
        .replace(/\u001b\[(\d+(;\d+)*m|\d*[AGJK]|\?25[lh])/g, '')
        .replace(/\r/g, '');
      expect(visible.match(RAW)?.[0]).toBeUndefined();
      expect(shown.code, shown.stderr).not.toBe(1);

      const piped = await runSvc(words, { env, home });
      // A body asked for as it is comes as it is.
      const text = argv[0] === 'api' ? piped.stderr : piped.stdout + piped.stderr;
      expect(text.match(RAW)?.[0]).toBeUndefined();
      expect(piped.code).not.toBe(1);

      expect(json.code).toBe(piped.code);
      for (const text of [shown, piped, json])
        expect(text.stdout + text.stderr).not.toContain('sk_test_canary');
    },
  );
});

describe('a service that redirects to another host', () => {
  it.each(COMMANDS.map((argv) => [argv.join(' '), argv] as const))(
    'is not followed by svc %s',
    async (_, argv) => {
      const elsewhere = await startReceiver();
      onTestFinished(() => elsewhere.close());
      const { env } = await startHostile({ redirectTo: elsewhere.url.replace(/\/$/, '') });
      const home = tempDir();
      const run = await runSvc([...inputs(home, argv), ...quick], { env, home });
      expect(elsewhere.received).toEqual([]);
      expect([4, 5, 6, 7]).toContain(run.code);
    },
  );
});
