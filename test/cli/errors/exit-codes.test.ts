import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_MEANINGS } from '../../../src/cli/errors/exit-codes.ts';
import { COMMANDS } from '../../../src/program/commands.gen.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

interface Case {
  argv: string[];
  env?: Record<string, string>;
  stdin?: string;
}

/** A way to each exit code that scripts may rely on. */
const CASES: Record<number, () => Case | Promise<Case>> = {
  0: () => ({ argv: ['profiles', 'list'] }),
  1: () => {
    const home = tempDir();
    // A file in the place of the folder for journals: nothing can be written there.
    writeFileSync(join(home, 'imports'), '');
    const stdin = '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n';
    return { argv: ['events', 'import', '-', '--profile', 'local'], env: { SVC_DATA_DIR: home }, stdin };
  },
  2: async () => ({ argv: ['events', 'import', '/no/such/file'], env: (await startTestService()).env }),
  4: () => ({ argv: ['decide', '--hash-id', 'h'] }),
  5: async () => ({ argv: ['notifications', 'get', 'none'], env: (await startTestService()).env }),
  6: () => ({
    argv: ['decide', '--hash-id', 'h', '--max-retries', '0'],
    env: { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' },
  }),
  7: async () => ({
    argv: ['events', 'import', '-'],
    env: (await startTestService()).env,
    stdin: '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\nbad\n',
  }),
  8: () => ({
    argv: ['webhooks', 'verify', '-', '--signature', '0'.repeat(64)],
    env: { SVC_WEBHOOK_SECRET: 'a-secret-of-some-length' },
    stdin: '{}',
  }),
};

describe('exit codes', () => {
  it.each(Object.keys(CASES).map(Number))('%i is reached with and without --json', async (code) => {
    const { argv, env = {}, stdin = '' } = await CASES[code]!();
    const plain = await runSvc(argv, { env, stdin });
    expect(plain.code, plain.stderr).toBe(code);
    const json = await runSvc([...argv, '--json'], { env, stdin });
    expect(json.code, json.stderr).toBe(code);
    for (const line of json.stdout.split('\n')) if (line) expect(() => JSON.parse(line)).not.toThrow();
    if (code === 0) return expect(JSON.parse(json.stdout)).toBeTypeOf('object');
    expect(plain.stderr).toMatch(/next: \S/);
    expect(JSON.parse(json.stderr.trim().split('\n').at(-1)!)).toEqual({
      error: {
        code: expect.stringMatching(/^[a-z_]+$/),
        message: expect.any(String),
        hint: expect.stringMatching(/\S/),
        requestId: code === 5 ? expect.stringMatching(/^req_/) : null,
        exitCode: code,
      },
    });
  });

  it('130 is reached with and without --json', async () => {
    const { env } = await startTestService();
    for (const flags of [[], ['--json']]) {
      const tail = startSvc(['events', 'tail', ...flags], { env });
      await tail.waitFor(/watching/, 'stderr');
      tail.interrupt();
      expect(await tail.done).toMatchObject({ code: 130, stdout: '' });
    }
  });

  it('are those that are documented', () => {
    expect([...Object.keys(CASES), '130']).toEqual(Object.keys(EXIT_MEANINGS));
  });
});

it.each(Object.keys(COMMANDS).map((id) => [id.replaceAll(':', ' '), id.split(':')] as const))(
  'svc %s meets an unknown flag with exit 2 and at most three lines',
  async (_, words) => {
    const run = await runSvc([...words, '--no-such-flag']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
    const json = await runSvc([...words, '--no-such-flag', '--json']);
    expect(json).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'usage', exitCode: 2 });
  },
);
