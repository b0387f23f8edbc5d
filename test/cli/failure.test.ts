import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.gen.ts';
import { readManifest } from '../../src/cli/manifest.ts';
import { cannedService } from '../support/canned-service.ts';
import { ROOT, runSvc } from '../support/run-svc.ts';

const { commands } = readManifest(ROOT);

/** The commands of svc in a text, each with its flags. */
function commandsIn(text: string): { id: string; flags: string[] }[] {
  return [...text.matchAll(/\bsvc ([a-z]+(?: [a-z]+)*)([^;\n]*)/g)].map(([, words, rest]) => {
    const named = words!.split(' ');
    const id = [named.slice(0, 2).join(':'), named[0]!].find((one) => one in COMMANDS);
    return { id: id ?? `? ${words}`, flags: [...rest!.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag!) };
  });
}

const send = ['events', 'send', '--user-id', 'u', '--event', "it's"];

describe('the next step of what a service answers', () => {
  it.each<[number, string, string]>([
    [301, '', 'correct the base URL BASE of SVC_BASE_URL; svc doctor --region eu'],
    [
      400,
      '{"message":"bad","details":[{"field":"userId","message":"is odd"}]}',
      'change what is named there; the flags: svc events send --help',
    ],
    [
      400,
      '{"message":"bad"}',
      `look at what was sent and answered: svc events send --user-id u --event 'it'\\''s' --region eu --debug`,
    ],
    [401, '', 'the key is from SVC_API_KEY; give another: read -rs SVC_API_KEY && export SVC_API_KEY'],
    [403, '', 'workspace ws_1 is from SVC_WORKSPACE, the key from SVC_API_KEY; '],
    [404, '', 'check the identifier and the address BASE of SVC_BASE_URL: svc doctor --region eu'],
    [
      405,
      '',
      `use a service that has it, such as the one on this machine: svc events send --user-id u --event 'it'\\''s' --region eu --profile local`,
    ],
    [429, '', 'see what is left: svc limits --region eu\n        to wait for longer: svc events send '],
    [500, '', 'the address is from SVC_BASE_URL; look closer: svc doctor --region eu'],
  ])('%i %s', async (status, body, next) => {
    const service = await cannedService(() => ({ status, body, headers: { 'retry-after': '0' } }));
    const run = await runSvc([...send, '--region', 'eu', '--max-retries', '0'], {
      env: service.env,
    });
    const said = run.stderr.slice(run.stderr.indexOf('next: ') + 6).replaceAll(' --max-retries 0', '');
    expect(said.replace(service.env.SVC_BASE_URL, 'BASE')).toContain(next);
    for (const { id, flags } of commandsIn(said)) {
      const command = commands.find((one) => one.id === id);
      expect(command, id).toBeDefined();
      for (const flag of flags) expect([...Object.keys(command!.flags), 'help']).toContain(flag);
    }
  });
});

describe('a batch', () => {
  it('ends in the command that tries again what failed', async () => {
    const service = await cannedService(({ body }) =>
      body.includes('"bad"') ? { status: 400 } : { body: '{"decisionId":"d"}' },
    );
    const run = await runSvc(['decide', '--input', '-'], { env: service.env, stdin: 'good\nbad\n' });
    expect(run.code).toBe(7);
    expect(run.stderr).toContain("jq -cr 'select(.error).request' OUTPUT | svc decide --input -\n");
  });
});
