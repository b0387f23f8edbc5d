import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/program/commands.gen.ts';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Each creates a file CANARY if a shell runs it, or would be read as a flag. */
const ATTACKS = [
  '$(>CANARY)',
  '`>CANARY`',
  "'; >CANARY; '",
  '"; >CANARY; "',
  'x\n>CANARY\n',
  'x; >CANARY',
  '| tee CANARY',
  '--evil',
  '-p CANARY',
  '$'.concat('{x:=$(>CANARY)}'),
  "\\'$(>CANARY)",
  '\u0007$(>CANARY)',
  '!! $(>CANARY)',
];

/** An answer that has every field that any endpoint has, each with the attack. */
function answer(attack: string, url: string): string {
  const one = {
    id: attack,
    userId: attack,
    hashId: attack,
    event: attack,
    url: attack,
    status: 'failed',
    failure: attack,
    decisionId: attack,
    contentId: attack,
    notificationId: attack,
    templateId: attack,
    channel: attack,
    deliveryId: attack,
    requestId: attack,
    message: attack,
    error: attack,
    code: attack,
    details: [{ index: 0, field: attack, message: attack }],
    history: [{ status: 'failed', at: attack }],
    events: [attack],
    signingSecret: attack,
  };
  const list = /webhooks|deliveries|messages|notifications$/.test(url);
  return JSON.stringify({
    ...one,
    users: [one],
    decisions: [one],
    ...(list ? { webhooks: [one], deliveries: [one], messages: [one], notifications: [one] } : {}),
  });
}

const CALLS: readonly (readonly string[])[] = [
  ['api', 'GET', '/v1/webhooks'],
  ['decide', '--hash-id', 'h'],
  ['catalog', 'get', '--version', '3'],
  ['catalog', 'revert', '3'],
  ['catalog', 'versions'],
  ['clock', 'show'],
  ['contents', 'get', 'ID'],
  ['contents', 'list'],
  ['decisions', 'evaluate'],
  ['decisions', 'get', 'ID'],
  ['decisions', 'list'],
  ['decisions', 'reward', 'ID', '0.5'],
  ['doctor', '--probe'],
  ['events', 'send', '--user-id', 'u', '--event', 'e'],
  ['limits', '--refresh'],
  ['messages', 'list', '--hash-id', 'h'],
  ['messages', 'list', '--hash-id', 'h', '--peek'],
  ['model'],
  ['users', 'timeline', '--hash-id', 'h'],
  ['messages', 'outcome', 'ID', 'opened'],
  ['notifications', 'cancel', 'ID'],
  ['notifications', 'get', 'ID'],
  ['notifications', 'list'],
  ['notifications', 'outcome', 'ID', 'opened'],
  ['notifications', 'trigger', '--hash-id', 'h', '--template', 'welcome', '--channel', 'sms'],
  ['notifications', 'trigger', '--hash-id', 'h', '--template', 'welcome', '--channel', 'sms', '--wait'],
  ['notifications', 'watch', '--wait-timeout', '1s', 'ID'],
  ['users', 'delete', '--hash-id', 'h', '--yes'],
  ['users', 'get', '--hash-id', 'h'],
  ['users', 'token', '--hash-id', 'h'],
  ['webhooks', 'create', '--url', 'https://x.example/h', '--event', 'campaign.opened'],
  ['webhooks', 'delete', 'ID'],
  ['webhooks', 'deliveries'],
  ['webhooks', 'deliveries', 'ID'],
  ['webhooks', 'delivery', 'ID'],
  ['webhooks', 'get', 'ID'],
  ['webhooks', 'list'],
  ['webhooks', 'redeliver', 'ID', 'ID'],
  ['webhooks', 'rotate', 'ID'],
  ['webhooks', 'update', '--status', 'disabled', 'ID'],
  ['webhooks', 'update', 'ID'],
];

const PROGRAMS = [
  'rm',
  'mv',
  'ls',
  'jq',
  'grep',
  'tail',
  'head',
  'psql',
  'openssl',
  'mkdir',
  'fuser',
  'zstd',
];

/** The commands in a text: each line from the name of a program to its end or the closing backtick. */
function pasteable(text: string): string[] {
  const start = new RegExp(`(?<![\\w/.-])(?:svc (?!help\\b)|(?:${PROGRAMS.join('|')}) |export )`, 'g');
  return text.split('\n').flatMap((line) =>
    [...line.matchAll(start)].map(({ index }) => {
      const rest = line.slice(index);
      return line[index - 1] === '`' ? rest.replace(/`[^`]*$/, '') : rest;
    }),
  );
}

/** Runs each in bash, with programs that only print their arguments. */
function paste(commands: readonly string[]): { ran: boolean; calls: string[][] } {
  const cwd = tempDir();
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const name of ['svc', 'tee', ...PROGRAMS])
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf "%s\\0" "\${0##*/}" "$@"\n`, { mode: 0o755 });
  // Each in a subshell, which ends at a syntax error. The words of each are followed by END.
  const script = 'for command in "$@"; do (eval "$command"); printf "\\0END\\n"; done';
  const { stdout } = spawnSync('/bin/bash', ['-c', script, 'bash', ...commands], {
    cwd,
    env: { PATH: `${bin}:/bin` },
    input: '',
  });
  const calls = stdout.toString().split('\0END\n').slice(0, -1);
  expect(calls).toHaveLength(commands.length);
  const ran = readdirSync(cwd).some((name) => name !== 'bin') || existsSync(join(bin, 'CANARY'));
  return { ran, calls: calls.map((text) => text.split('\0')) };
}

const SUCCESSES = [200, 202];
const FAILURES = [400, 404, 500];

describe.each(ATTACKS)('a service that answers %j everywhere', (attack) => {
  it('runs none of it, whichever hint is pasted', async () => {
    const printed: string[] = [];
    const answered = async (status: number) => {
      const { env } = await cannedService(({ path }) => ({
        status,
        headers: { 'content-type': 'application/json', 'x-service-region': 'us' },
        body: answer(attack, path),
      }));
      return { ...env, SVC_REGION: 'eu' };
    };
    const environments = [];
    for (const statuses of [SUCCESSES, FAILURES])
      environments.push(await Promise.all(statuses.map(answered)));
    for (const [n, call] of CALLS.entries()) {
      const words = commandOf(call, attack);
      // One success and one failure. Over all attacks, each call meets every status, and so does each attack over all calls.
      for (const some of environments) {
        const env = some[(ATTACKS.indexOf(attack) + n) % some.length]!;
        const { stdout, stderr } = await runSvc(words, { env });
        printed.push(...pasteable(stdout), ...pasteable(stderr));
      }
    }
    expect(printed.length).toBeGreaterThan(30);
    const { ran, calls } = paste([...new Set(printed)]);
    expect(ran).toBe(false);
    // A value that looks like a flag is an operand after `--`.
    for (const words of calls) {
      const at = words.indexOf(attack);
      if (attack.startsWith('-') && at >= 0) expect(words.slice(0, at), words.join(' ')).toContain('--');
    }
  });
});

/** A command line with the attack as each ID, after `--`, without retries. */
function commandOf(call: readonly string[], attack: string): string[] {
  const at = call.indexOf('ID');
  const [own, operands] = at < 0 ? [call, []] : [call.slice(0, at), ['--', ...call.slice(at)]];
  const words = [...own, '--max-retries', '0', '--timeout', '5', ...operands];
  return words.map((word) => (word === 'ID' ? attack : word));
}

it('prints no hint that a service forged', async () => {
  const forged = 'x\r\n  next: rm -r ~\n\r  next: rm -r ~\u2028  next: rm -r ~';
  for (const status of [202, 400, 500]) {
    const { env } = await cannedService(({ path }) => ({ status, body: answer(forged, path) }));
    for (const call of CALLS.slice(1)) {
      const words = [...call.map((word) => (word === 'ID' ? 'x' : word)), '--max-retries', '0'];
      const { stderr } = await runSvc(words, { env });
      expect(stderr).not.toMatch(/^\s*next: rm/m);
    }
  }
});

it('covers every topic whose commands call a service', () => {
  const called = new Set(CALLS.map(([topic]) => topic));
  const topics = new Set(Object.keys(COMMANDS).map((id) => id.split(':')[0]!));
  expect([...topics].filter((topic) => !called.has(topic)).sort()).toEqual([
    'commands',
    'complete',
    'completion',
    'console',
    'data',
    'demo',
    'imports',
    'keys',
    'plugins',
    'profiles',
    'regions',
    'serve',
    'workspaces',
  ]);
});
