import { randomBytes } from 'node:crypto';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { fileBytes } from '../../cli/input/input-bytes.ts';
import { readStdin } from '../../cli/input/prompt.ts';
import type { World } from '../../cli/terminal/world.ts';

const MAX_BYTES = 4096;

/**
 * The signing secret for a new or renewed subscription: from `file` (`-` is standard input), else SVC_WEBHOOK_SECRET,
 * else made here of 32 random bytes as 64 hex characters. The text is used as given, but for one line end after it,
 * which editors and `openssl rand` leave there. Throws `file`, `usage`.
 */
export async function signingSecret(
  world: World,
  file: string | undefined,
): Promise<{ secret: string; made: boolean }> {
  const given =
    file === undefined ? world.env.SVC_WEBHOOK_SECRET || undefined : await readSecret(world, file);
  if (given === undefined) return { secret: newSecret(), made: true };
  return { secret: given, made: false };
}

/** A new secret: 32 random bytes as hex. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** The secret in a file (`-` is standard input), without the one line end after it. Throws `file`, `usage`. */
export async function readSecret(world: World, file: string): Promise<string> {
  const secret = await readText(world, file);
  if (secret === '')
    throw new SvcError('usage', 'the signing secret is empty', {
      hint: 'make one with `openssl rand -hex 32 > secret.txt` and name the file with --secret-file',
    });
  return secret;
}

async function readText(world: World, file: string): Promise<string> {
  if (file === '-') return withoutLineEnd(await readStdin(world, MAX_BYTES));
  return withoutLineEnd((await fileBytes(file, world, MAX_BYTES)).toString('utf8'));
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
