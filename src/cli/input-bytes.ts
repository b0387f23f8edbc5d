import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from './errors.ts';
import { fileFailure } from './file-failure.ts';
import { stdinChunks } from './stdin.ts';
import type { World } from './world.ts';

/** Standard input can hold one thing only. Throws usage where the secret comes from it too. */
export function notTheSecretToo(
  file: string | undefined,
  flags: { 'secret-file'?: string | undefined },
): void {
  if ((file !== undefined && file !== '-') || flags['secret-file'] !== '-') return;
  throw new SvcError('usage', 'both the secret and the body would come from standard input', {
    hint: 'name a file for one of them',
  });
}

/** All bytes of a file, or of standard input for `-` and where no file is named. Throws file, interrupted. */
export async function inputBytes(file: string | undefined, world: World): Promise<Buffer> {
  if (file === undefined || file === '-') {
    if (world.stdin.isTTY) {
      throw new SvcError('file', 'there is no input: standard input is a terminal', {
        hint: 'name a file, or pipe the bytes in',
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of stdinChunks(world)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(resolve(world.cwd, file));
  } catch (error) {
    throw fileFailure(file, error);
  }
}
