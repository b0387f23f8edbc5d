import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { Invocation } from '../../../src/cli/invocation/invocation.ts';
import { sanitize } from '../../../src/cli/terminal/sanitize.ts';
import { commandLine, shellPath } from '../../../src/kit/shell.ts';

const typed = (...argv: string[]) => new Invocation(argv);

describe('a command line in a hint', () => {
  it('is parsed by a shell into the same words', () => {
    const words = [
      'a b',
      "it's",
      '$HOME',
      '`id`',
      '*',
      '',
      '~',
      '=ls',
      'x=1',
      '#',
      '!',
      'ü',
      '-n',
      '"',
      '\\',
    ];
    // Only these shells read escapes.
    const unseen = ['a\nb', "it's \x1b[31m\\", '\u202e\u200b', '\u0085', '\u{e0041}', '\u2028', '❤️'];
    const back = (shell: string, line: string) =>
      execFileSync(shell, ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
        .split('\0')
        .slice(0, -1);
    expect(back('sh', commandLine(words))).toEqual(words);
    expect(back('bash', commandLine([...words, ...unseen]))).toEqual([...words, ...unseen]);
    expect(sanitize(commandLine(unseen))).toBe(commandLine(unseen));
    expect(commandLine(unseen)).not.toContain('\n');
    expect([shellPath('-rf'), shellPath('a b')]).toEqual(['./-rf', "'a b'"]);
  });

  it.each<[string, string]>([
    [typed('events', 'send', '--event', 'a b').rerunWith(), "svc events send --event 'a b'"],
    [typed('serve', '--port', '80').rerunWith('--port', '0'), 'svc serve --port 0'],
    [typed('serve', '--port=80', '-q').rerunWith('--port', '0'), 'svc serve -q --port 0'],
    [typed('decide', '-p', 'x', '-q').locally(), 'svc decide -q --profile local'],
    [
      typed('decide', '-px', '--region=eu', '--base-url', 'http://x', '--', '-p').locally(),
      'svc decide --profile local -- -p',
    ],
    [new Invocation().locally(), 'repeat the command with --profile local'],
    [
      typed('serve', '--database', 'postgres://u:secret@h/d').rerunWith(),
      "svc serve --database 'postgres://u:***@h/d'",
    ],
    [
      typed('serve', '--database=postgres://h/d?password=secret').rerunWith(),
      "svc serve '--database=postgres://h/d?password=***'",
    ],
    [typed('demo', '--debug').rerunWith('--debug'), 'svc demo --debug'],
    [
      typed('keys', 'revoke', 'k', '--database', 'b.db').onSameService('keys', 'list'),
      'svc keys list --database b.db',
    ],
    [
      typed('workspaces', 'freeze', 'w', '--database=b.db', '-p', 'local').onSameResource(
        'w',
        'workspaces',
        'open',
      ),
      'svc workspaces open w -p local --database=b.db',
    ],
    [typed('users', 'export', '--database', 'b.db').onSameService('doctor'), 'svc doctor'],
    [
      typed('serve', 'exec', '--', 'npm', '--debug').rerunWith('--debug'),
      'svc serve exec --debug -- npm --debug',
    ],
    [new Invocation().rerunWith('--debug'), 'repeat the command with --debug'],
  ])('repeats the command line with a flag added or replaced: %s', (made, expected) => {
    expect(made).toBe(expected);
  });

  it.each<[string, string]>([
    [typed('decide', '--hash-id', 'h').onSameService('doctor'), 'svc doctor'],
    [typed('decide', '-p', 'my prod', '-q').onSameService('doctor'), "svc doctor -p 'my prod'"],
    [typed('decide', '-pprod', '--region=eu').onSameService('doctor'), 'svc doctor -pprod --region=eu'],
    [
      typed('api', '--base-url', 'http://x', '--workspace', 'w').onSameService('limits'),
      'svc limits --base-url http://x --workspace w',
    ],
    [typed('serve', 'exec', '--', 'svc', '-p', 'x').onSameService('doctor'), 'svc doctor'],
    [new Invocation().onSameService('webhooks', 'list'), 'svc webhooks list'],
  ])('selects the same service: %s', (made, expected) => {
    expect(made).toBe(expected);
  });
});
