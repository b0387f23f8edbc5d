import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellLines } from '../../../src/cli/help/layout.ts';

describe('a shell command in help', () => {
  it('stays on one line where it fits', () => {
    expect(shellLines('svc decide --hash-id h --json', 40)).toEqual(['svc decide --hash-id h --json']);
  });

  it('breaks before a pipe, else before a flag', () => {
    expect(shellLines("svc data export --type event | jq -c '{userId, event}'", 40)).toEqual([
      'svc data export --type event \\',
      "    | jq -c '{userId, event}'",
    ]);
    expect(shellLines('svc decide --hash-id h --exclude-category offers --json', 40)).toEqual([
      'svc decide --hash-id h \\',
      '    --exclude-category offers --json',
    ]);
  });

  it('means the same to a shell', () => {
    const word = fc.constantFrom(
      'a',
      '--flag',
      '-f',
      '-',
      "'two words'",
      '"$(printf x) z"',
      '$(printf a b)',
      'x=1',
    );
    const width = fc.integer({ min: 10, max: 60 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), width, (words, columns) => {
        const said = (line: string) =>
          execFileSync('sh', ['-c', `printf '<%s>' ${line}`], { encoding: 'utf8' });
        const line = `svc ${words.join(' ')}`;
        expect(said(shellLines(line, columns).join('\n'))).toBe(said(line));
      }),
      { numRuns: 60 },
    );
  });
});
