import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readManifest } from '../../src/cli/command/manifest.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';

describe('svc commands', () => {
  it('lists every command with its summary', async () => {
    const { code, stdout } = await runSvc(['commands']);
    expect(code).toBe(0);
    for (const { id, summary } of readManifest(ROOT).commands)
      expect(stdout).toContain(`svc ${id.replaceAll(':', ' ')}\t${summary}`);
  });

  it('describes under --json the flags with types, the exit codes and the output of every command', async () => {
    const { stdout } = await runSvc(['commands', '--json']);
    const { commands, exitCodes, error } = JSON.parse(stdout);
    expect(commands).toHaveLength(readManifest(ROOT).commands.length);
    for (const { command, flags, exitCodes: codes, output, usage } of commands) {
      expect(usage, command).toMatch(/^svc /);
      expect(
        codes.every((code: number) => code in exitCodes),
        command,
      ).toBe(true);
      expect(output, `${command} needs an entry in src/outputs/outputs.ts`).not.toBeNull();
      expect(['boolean', 'string', 'integer']).toEqual(
        expect.arrayContaining(flags.map(({ type }: { type: string }) => type)),
      );
    }
    const decide = commands.find(({ command }: { command: string }) => command === 'svc decide');
    const flag = (name: string) => decide.flags.find((known: { flag: string }) => known.flag === name);
    expect(flag('--max-daily-contacts')).toMatchObject({ type: 'integer', global: false, required: false });
    expect(flag('--timeout')).toMatchObject({ type: 'integer', default: 30, global: true });
    expect(flag('--json')).toMatchObject({ type: 'boolean', placeholder: null });
    expect(error).toEqual(
      JSON.parse(readFileSync(join(ROOT, 'docs', 'schemas', 'error.schema.json'), 'utf8')),
    );
  });
});

describe('docs/schemas/error.schema.json', () => {
  const schema = z.fromJSONSchema(
    JSON.parse(readFileSync(join(ROOT, 'docs', 'schemas', 'error.schema.json'), 'utf8')),
  );
  const unreachable = ['--base-url', 'http://127.0.0.1:9', '--workspace', 'w', '--max-retries', '0'];

  it.each([
    { code: 'usage', argv: ['events', 'send', '--jsno'] },
    { code: 'usage', argv: ['nonsense'] },
    { code: 'file', argv: ['events', 'import', 'missing.ndjson', '--profile', 'local'] },
    { code: 'not_configured', argv: ['limits'] },
    { code: 'not_found', argv: ['notifications', 'get', 'ntf_none', '--profile', 'local'] },
    { code: 'refused', argv: ['api', 'POST', '/v1/events', '-f', 'x=1', '--profile', 'local'] },
    { code: 'personal_data', argv: personal() },
    { code: 'unreachable', argv: ['limits', '--refresh', ...unreachable] },
  ])('describes a real $code', async ({ code, argv }) => {
    const { stderr } = await runSvc([...argv, '--json'], { env: { SVC_API_KEY: 'k' } });
    const last = JSON.parse(stderr.trim().split('\n').at(-1)!);
    expect(last.error?.code, stderr).toBe(code);
    expect(schema.safeParse(last).error).toBeUndefined();
  });

  it('refuses a code that does not exist, and an error without a next step', () => {
    const error = { code: 'usage', message: 'm', hint: 'h', requestId: null, exitCode: 2 };
    expect(schema.safeParse({ error }).success).toBe(true);
    expect(schema.safeParse({ error: { ...error, code: 'other' } }).success).toBe(false);
    expect(schema.safeParse({ error: { ...error, hint: undefined } }).success).toBe(false);
  });
});

function personal(): string[] {
  const flags = [
    '--hash-id',
    'h',
    '--template',
    'welcome',
    '--channel',
    'push',
    '--var',
    'mail=a@example.com',
  ];
  return ['notifications', 'trigger', ...flags, '--profile', 'local'];
}
