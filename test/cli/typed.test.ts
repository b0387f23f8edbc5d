import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { Typed } from '../../src/cli/typed.ts';
import { commandLine } from '../../src/kit/shell.ts';

const typed = (...argv: string[]) => new Typed(argv);

describe('a command line in a next step', () => {
  it('is read back by a shell word for word', () => {
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
      'a\nb',
      '-n',
      '"',
    ];
    for (const shell of ['sh', 'bash'])
      expect(
        execFileSync(shell, ['-c', `printf '%s\\0' ${commandLine(words)}`], { encoding: 'utf8' }).split('\0'),
      ).toEqual([...words, '']);
  });

  it.each<[string, string]>([
    [typed('events', 'send', '--event', 'a b').again(), "svc events send --event 'a b'"],
    [typed('serve', '--port', '80').again('--port', '0'), 'svc serve --port 0'],
    [typed('serve', '--port=80', '-q').again('--port', '0'), 'svc serve -q --port 0'],
    [typed('decide', '-p', 'x').again('--profile', 'local'), 'svc decide --profile local'],
    [typed('demo', '--debug').again('--debug'), 'svc demo --debug'],
    [
      typed('serve', 'exec', '--', 'npm', '--debug').again('--debug'),
      'svc serve exec --debug -- npm --debug',
    ],
    [new Typed().again('--debug'), 'the same again --debug'],
  ])('repeats what was typed with a flag more or another: %s', (made, expected) => {
    expect(made).toBe(expected);
  });

  it.each<[string, string]>([
    [typed('decide', '--hash-id', 'h').on('doctor'), 'svc doctor'],
    [typed('decide', '-p', 'my prod', '-q').on('doctor'), "svc doctor -p 'my prod'"],
    [typed('decide', '-pprod', '--region=eu').on('doctor'), 'svc doctor -pprod --region=eu'],
    [
      typed('api', '--base-url', 'http://x', '--workspace', 'w').on('limits'),
      'svc limits --base-url http://x --workspace w',
    ],
    [typed('serve', 'exec', '--', 'svc', '-p', 'x').on('doctor'), 'svc doctor'],
    [new Typed().on('webhooks', 'list'), 'svc webhooks list'],
  ])('asks the same service: %s', (made, expected) => {
    expect(made).toBe(expected);
  });
});
