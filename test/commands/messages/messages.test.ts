import { describe, expect, test } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const json = async (argv: string[], options: Parameters<typeof runSvc>[1]) => {
  const { code, stdout, stderr } = await runSvc([...argv, '--json'], options);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

/** A hashId as `local` has them. */
const USER = 'a'.repeat(64);

describe('svc messages', () => {
  test('lists a decided message and reports its outcome, on local', async () => {
    const home = tempDir();
    const local = { home, env: { SVC_PROFILE: 'local' } };
    const { decisionId, action } = await json(['decide', '--quiet', '--hash-id', USER], local);
    const peek = async () =>
      (await json(['messages', 'list', '--quiet', '--hash-id', USER, '--peek'], local)).messages;
    expect(await peek()).toEqual([expect.objectContaining({ decisionId, servedAt: null })]);
    const { messages } = await json(['messages', 'list', '--quiet', '--hash-id', USER], local);
    expect((await peek())[0].servedAt).toMatch(/Z$/);
    expect(messages).toEqual([expect.objectContaining({ decisionId, contentId: action.contentId })]);
    const table = await runSvc(['messages', 'list', '--quiet', '--hash-id', USER], local);
    expect(table.stdout).toContain(messages[0].title);
    await json(['messages', 'outcome', decisionId, 'actioned'], local);
    expect((await json(['messages', 'list', '--quiet', '--hash-id', USER], local)).messages).toEqual([]);
    expect((await runSvc(['messages', 'list', '--quiet', '--hash-id', USER], local)).stdout).toBe(
      'no pending messages\n',
    );
    const evaluated = await json(['decisions', 'evaluate', '--quiet'], local);
    expect(evaluated).toMatchObject({
      decisions: 1,
      pending: 0,
      policies: { running: { ips: { mean: 1 } } },
    });
  });

  test('lists the messages of a surface and a channel', async () => {
    const { env } = await startTestService();
    await json(['decide', '--hash-id', 'h2', '--channel', 'in-app', '--surface', 'home'], { env });
    const listed = async (...flags: string[]) =>
      (await json(['messages', 'list', '--hash-id', 'h2', ...flags], { env })).messages.length;
    for (const peek of [[], ['--peek']]) {
      expect(await listed('--surface=home', '--channel=in-app', ...peek)).toBe(1);
      expect(await listed('--surface=elsewhere', ...peek)).toBe(0);
      expect(await listed('--channel=push', ...peek)).toBe(0);
    }
  });

  test('an unknown decision, and an invalid outcome', async () => {
    const { env } = await startTestService();
    const missing = await runSvc(['messages', 'outcome', 'dec_none', 'opened', '--json'], { env });
    expect(missing.code).toBe(5);
    expect(JSON.parse(missing.stderr).error.code).toBe('not_found');
    const odd = await runSvc(['messages', 'outcome', 'dec_none', 'ignored'], { env });
    expect(odd.code).toBe(5);
    expect(odd.stderr).toMatch(
      /not one of opened, clicked, actioned, dismissed; sent as given[\s\S]*must be one of opened, clicked/,
    );
  });

  test.each([404, 405, 501])('reports an unsupported operation: %i', async (status) => {
    const { env } = await cannedService(() => ({ status, body: '{}' }));
    for (const argv of [
      ['messages', 'list', '--hash-id', 'h'],
      ['messages', 'list', '--hash-id', 'h', '--peek'],
      ['messages', 'outcome', 'd', 'opened'],
      ['decisions', 'evaluate'],
    ]) {
      const { code, stdout, stderr } = await runSvc(argv, { env });
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toMatch(/the service does not offer /);
    }
  });

  test('prints an answer of another shape', async () => {
    const { env } = await cannedService(() => ({ body: '{"messages":[{"decisionId":7}],"more":true}' }));
    expect((await runSvc(['messages', 'list', '--hash-id', 'h'], { env })).code).toBe(0);
    expect((await runSvc(['messages', 'list', '--hash-id', 'h', '--json'], { env })).stdout).toBe(
      '{"messages":[{"decisionId":7}],"more":true}\n',
    );
  });
});
