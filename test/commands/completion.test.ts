import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../src/cli/command/manifest.ts';
import { candidates, FILES } from '../../src/cli/completion/candidates.ts';
import { ROOT, runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const complete = async (words: string[], home?: string) => {
  const run = await runSvc(['complete', '--', ...words], home === undefined ? {} : { home });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]!);
};

const FILE_FLAGS = [
  '--catalog',
  '--checkpoint',
  '--database',
  '--faults',
  '--from',
  '--header-file',
  '--input',
  '--mapping',
  '--output',
  '--plan',
  '--policy',
  '--provider',
  '--record',
  '--rejects',
  '--save',
  '--secret-file',
  '--tls-cert',
  '--tls-key',
  '--to',
];
const FILE_ARGUMENTS = [
  'catalog:diff file',
  'catalog:put file',
  'catalog:validate file',
  'data:backup file',
  'data:restore file',
  'events:import file',
  'events:import more',
  'events:inspect file',
  'events:inspect more',
  'events:plan file',
  'events:plan more',
  'plugins:link folder',
  'users:import file',
  'users:import more',
  'webhooks:replay file',
  'webhooks:sign file',
  'webhooks:verify file',
];

describe('completion', () => {
  it('completes subcommands', async () => {
    expect(await complete([''])).toEqual(
      expect.arrayContaining(['events', 'decide', 'serve', 'help', '--version']),
    );
    expect(await complete(['ev'])).toEqual(['events']);
    expect(await complete(['events', ''])).toEqual([
      'delete',
      'import',
      'inspect',
      'plan',
      'send',
      'sources',
      'tail',
    ]);
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
  });

  it('has the shell complete file names where a file is expected, and nowhere else', async () => {
    const manifest = readManifest(ROOT);
    const sources = { profiles: () => [], ids: async () => [] };
    const offered = (words: string[]) => candidates(words, manifest, sources);
    const taking = new Set<string>();
    for (const { id, args, flags, hidden } of manifest.commands.filter(
      ({ plugin }) => plugin === undefined,
    )) {
      if (hidden) continue;
      const words = id.split(':');
      for (const [i, name] of [...Object.keys(args), 'more'].entries())
        if ((await offered([...words, ...Array(i).fill('x'), ''])) === FILES) taking.add(`${id} ${name}`);
      for (const { name, type } of Object.values(flags))
        if (type === 'option')
          for (const typed of [[`--${name}`, ''], [`--${name}=`]])
            if ((await offered([...words, ...typed])) === FILES) taking.add(`--${name}`);
    }
    expect([...taking].filter((one) => one.startsWith('--')).sort()).toEqual(FILE_FLAGS);
    expect([...taking].filter((one) => !one.startsWith('--')).sort()).toEqual(FILE_ARGUMENTS);
    expect(await complete(['events', 'import', 'file'])).toEqual(['']);
    expect(await complete(['serve', 'exec', '--', 'npm', '--'])).toEqual(['']);
    expect(await complete(['webhooks', 'get', 'x'])).toEqual([]);
    expect(await complete(['events', 'import', '--nonsense'])).toEqual([]);
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
    expect(await complete(['webhooks', 'listen', '--event', 'decision.'])).toEqual([
      'decision.actioned',
      'decision.converted',
    ]);
    expect(await complete(['webhooks', 'update', 'wh', '--event', 'decision.'])).toEqual([
      'decision.actioned',
      'decision.converted',
    ]);
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
COMP_WORDS=(svc events im); COMP_CWORD=2; _svc; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p svc
svc() { printf '\\tfiles\\n'; }; COMPREPLY=(); _svc; printf 'files: %s\\n' "\${COMPREPLY[@]}"
svc() { :; }; COMPREPLY=(); _svc; echo "none: \${#COMPREPLY[@]}"`;
    const folder = tempDir();
    writeFileSync(join(folder, 'import.csv'), '');
    const { stdout, status } = spawnSync('bash', ['-c', session], { encoding: 'utf8', cwd: folder });
    expect(status).toBe(0);
    expect(stdout).toBe('<events+im>\none\ncomplete -F _svc svc\nfiles: import.csv\nnone: 0\n');
  });

  it('refuses another shell', async () => {
    expect((await runSvc(['completion', 'tcsh'])).code).toBe(2);
  });
});
