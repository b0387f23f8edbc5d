import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const complete = async (words: string[], home?: string) => {
  const run = await runSvc(['complete', '--', ...words], home === undefined ? {} : { home });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]!);
};

describe('completion', () => {
  it('completes subcommands', async () => {
    expect(await complete([''])).toEqual(
      expect.arrayContaining(['events', 'decide', 'serve', 'help', '--version']),
    );
    expect(await complete(['ev'])).toEqual(['events']);
    expect(await complete(['events', ''])).toEqual(['import', 'inspect', 'send', 'sources', 'tail']);
    expect(await complete(['serve', ''])).toContain('exec');
    expect(await complete(['help', 'exit'])).toEqual(['exit-codes']);
    expect(await complete(['help', 'events', 'im'])).toEqual(['import']);
    expect(await complete(['nonsense', ''])).toEqual([]);
  });

  it('completes flags and fixed flag values', async () => {
    expect(await complete(['events', 'import', '--dry'])).toEqual(['--dry-run']);
    expect(await complete(['events', 'import', '--format', ''])).toEqual([
      'ndjson',
      'csv',
      'json',
      'parquet',
    ]);
    expect(await complete(['decide', '--js'])).toEqual(['--json']);
    expect(await complete(['completion', 'f'])).toEqual(['fish']);
    expect(await complete(['decide', '--'])).toEqual(expect.arrayContaining(['--profile', '--help']));
    expect(await complete(['events', 'import', 'file'])).toEqual([]);
    expect(await complete(['serve', 'exec', '--', 'npm', '--'])).toEqual([]);
  });

  it('completes --flag=value, as one word and as split by bash', async () => {
    expect(await complete(['events', 'import', '--format='])).toEqual([
      '--format=ndjson',
      '--format=csv',
      '--format=json',
      '--format=parquet',
    ]);
    expect(await complete(['events', 'import', '--format=c'])).toEqual(['--format=csv']);
    expect(await complete(['events', 'import', '--format', '='])).toEqual([
      'ndjson',
      'csv',
      'json',
      'parquet',
    ]);
    expect(await complete(['events', 'import', '--format', '=', 'c'])).toEqual(['csv']);
    expect(await complete(['events', 'import', '--format', '=', 'csv', '--dry'])).toEqual(['--dry-run']);
    expect(await complete(['completion', '--no-such='])).toEqual([]);
  });

  it('suggests values of open sets, for existing flags only', async () => {
    expect(await complete(['notify', '--channel', ''])).toEqual(['whatsapp', 'sms', 'email', 'push']);
    expect(await complete(['notifications', 'trigger', '--priority', 't'])).toEqual(['transactional']);
    expect(await complete(['webhooks', 'create', '-e', 'campaign.c'])).toEqual(['campaign.clicked']);
    expect(await complete(['webhooks', 'listen', '--event', 'd'])).toEqual(['decision.actioned']);
    expect(await complete(['webhooks', 'update', 'wh', '--event', 'd'])).toEqual(['decision.actioned']);
    expect(await complete(['webhooks', 'send', '--to', '3000', ''])).toContain('campaign.opened');
    expect(await complete(['messages', 'outcome', 'dec_1', 'dis'])).toEqual(['dismissed']);
    expect(await complete(['notifications', 'outcome', 'ntf_1', ''])).toEqual(['opened', 'clicked']);
    expect(await complete(['notifications', 'list', '--status', 'd'])).toEqual(['dispatched', 'delivered']);
    expect(await complete(['webhooks', 'deliveries', '--status', 'f'])).toEqual(['failed']);
    expect(await complete(['api', 'P'])).toEqual(['POST', 'PUT', 'PATCH']);
  });

  it('describes each word', async () => {
    const said = async (...words: string[]) => (await runSvc(['complete', '--', ...words])).stdout;
    expect(await said('ev')).toBe('events\tSend, import and watch events\n');
    expect(await said('events', 'ta')).toMatch(/^tail\t\w.+\n$/);
    expect(await said('events', 'import', '--dry')).toMatch(/^--dry-run\t\w.+\n$/);
    expect(await said('help', 'exit')).toMatch(/^exit-codes\t\w.+\n$/);
    expect(await said('completion', 'z')).toBe('zsh\n');
  });

  it('completes profile names', async () => {
    const home = tempDir();
    const add = 'profiles add prod --no-check --workspace w --base-url https://x.example --api-key-stdin';
    await runSvc(add.split(' '), { home, stdin: 'sk_1' });
    expect(await complete(['decide', '-p', ''], home)).toEqual(['prod', 'local']);
    expect(await complete(['decide', '--profile', 'pr'], home)).toEqual(['prod']);
    expect(await complete(['profiles', 'use', ''], home)).toEqual(['prod', 'local']);
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { stdout, code } = await runSvc(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('svc complete --');
  });

  it('works in bash', async () => {
    const { stdout: script } = await runSvc(['completion', 'bash']);
    const session = `svc() { [ "$1 $2" = 'complete --' ] && shift 2 && printf '<%s+%s>\\n' "$1" "$2" && printf 'one\\twhat it means\\n'; }
${script}
COMP_WORDS=(svc events im); COMP_CWORD=2; _svc; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p svc`;
    const { stdout, status } = spawnSync('bash', ['-c', session], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toBe('<events+im>\none\ncomplete -o default -F _svc svc\n');
  });

  it('refuses another shell', async () => {
    expect((await runSvc(['completion', 'tcsh'])).code).toBe(2);
  });
});
