import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askSecret, confirm } from '../../../src/cli/input/prompt.ts';
import type { World } from '../../../src/cli/terminal/world.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';
const OPTIONS = { noInput: false, instead: 'pipe it in' };

/** A terminal on which `typed` is typed once something was asked; `shown` is what the user then sees. */
function terminal(typed: string): { world: World; shown: () => string } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let shown = '';
  let asked = false;
  stderr.on('data', (chunk) => {
    shown += chunk;
    if (asked || !/: |\[y\/N\]/.test(shown)) return;
    asked = true;
    stdin.write(typed);
  });
  return { world: { stdin, stderr } as unknown as World, shown: () => shown };
}

describe('a prompt for a secret', () => {
  it('returns the typed text without echoing it', async () => {
    const { world, shown } = terminal('s3cret\r');
    expect(await askSecret(world, 'API key', OPTIONS)).toBe('s3cret');
    expect(shown()).not.toContain('s3cret');
  });

  it('fails with interrupted at Ctrl-C', async () => {
    await expect(askSecret(terminal(CTRL_C).world, 'API key', OPTIONS)).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it('fails at Ctrl-D with a hint how to provide the secret', async () => {
    await expect(askSecret(terminal(CTRL_D).world, 'API key', OPTIONS)).rejects.toMatchObject({
      code: 'usage',
      hint: 'pipe it in',
    });
  });
});

describe('a confirmation', () => {
  it.each([
    ['y\r', true],
    ['YES\r', true],
    ['no\r', false],
    ['\r', false],
    [CTRL_D, false],
  ])('answered by %j is %s', async (typed, agreed) => {
    expect(await confirm(terminal(typed).world, 'Sure?', OPTIONS)).toBe(agreed);
  });

  it('fails with interrupted at Ctrl-C', async () => {
    await expect(confirm(terminal(CTRL_C).world, 'Sure?', OPTIONS)).rejects.toMatchObject({
      code: 'interrupted',
    });
  });
});
