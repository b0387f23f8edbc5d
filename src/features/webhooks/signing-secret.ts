import { randomBytes } from 'node:crypto';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { fileText } from '../../cli/input/input-bytes.ts';
import { readStdin } from '../../cli/input/prompt.ts';
import type { World } from '../../cli/terminal/world.ts';

const MAX_BYTES = 4096;

/**
 * Returns the signing secret for a new or rotated subscription: from `file` (`-` is standard input), else from
 * SVC_WEBHOOK_SECRET, else a new one. `generated` is true for a new one. Throws `file`, `usage`.
 */
export async function signingSecret(
  world: World,
  file: string | undefined,
): Promise<{ secret: string; generated: boolean }> {
  const given =
    file === undefined ? world.env.SVC_WEBHOOK_SECRET || undefined : await readSecret(world, file);
  if (given === undefined) return { secret: newSecret(), generated: true };
  return { secret: given, generated: false };
}

/** Generates a secret: 32 random bytes as 64 hex characters. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/**
 * Reads a secret from a file (`-` is standard input). Removes one trailing newline, which editors and `openssl rand` add.
 * Throws `file`, `usage`.
 */
export async function readSecret(world: World, file: string): Promise<string> {
  const secret = await readText(world, file);
  if (secret === '')
    throw new SvcError('usage', 'the signing secret is empty', {
      hint: 'create one: openssl rand -hex 32 > secret.txt',
    });
  return secret;
}

async function readText(world: World, file: string): Promise<string> {
  if (file === '-') return withoutNewline(await readStdin(world, MAX_BYTES));
  return withoutNewline(await fileText(file, world, MAX_BYTES));
}

function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}
