import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MISTAKES } from '../../src/features/listen/signature-diagnosis/mistakes.ts';
import { ROOT } from '../support/process/run-svc.ts';

const page = readFileSync(join(ROOT, 'docs/webhooks-handlers.md'), 'utf8');
const block = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)![1]!;

const SIGNATURE = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
const CALLS: Array<[string, boolean]> = [
  [SIGNATURE, true],
  [SIGNATURE.toUpperCase(), false],
  [`sha256=${SIGNATURE}`, false],
  ['é', false],
  ['', false],
];

describe('docs/webhooks-handlers.md', () => {
  it.each([
    ['js', process.execPath, ['--input-type=module', '-e'], "Buffer.from('Hello, World!')", 'console.log'],
    ['python', 'python3', ['-c'], "b'Hello, World!'", 'print'],
  ])(
    'its %s code verifies the published example and refuses other signatures',
    (language, command, args, body, print) => {
      const lines = CALLS.map(
        ([signature]) =>
          `${print}(verify(${body}, ${JSON.stringify(signature)}, "It's a Secret to Everybody"))`,
      );
      const output = execFileSync(
        command,
        [...(args as string[]), `${block(language)}\n${lines.join('\n')}`],
        {
          encoding: 'utf8',
        },
      );
      expect(
        output
          .trim()
          .split('\n')
          .map((line) => line.toLowerCase()),
      ).toEqual(CALLS.map(([, fits]) => String(fits)));
    },
  );

  it('its Go code is part of the example', () => {
    const example = readFileSync(join(ROOT, 'examples/handlers/go/main.go'), 'utf8');
    for (const line of block('go')
      .split('\n')
      .filter((text) => /mac/.test(text) && !text.includes('hmac.New'))) {
      expect(example).toContain(line);
    }
  });

  it('lists exactly the known mistakes', () => {
    const rows = page
      .slice(page.indexOf('## Signature diagnosis'))
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
    );
    expect(named.sort()).toEqual(Object.keys(MISTAKES).sort());
  });
});
