import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openPipe } from '../../kit/pipe.ts';
import { utf8Text } from '../../kit/utf8-text.ts';
import { fileError } from '../errors/file-error.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { World } from '../terminal/world.ts';
import { stdinChunks } from './stdin.ts';

/** Asserts that body and secret do not both come from standard input. Throws usage. */
export function assertStdinUsedOnce(
  file: string | undefined,
  flags: { 'secret-file'?: string | undefined },
): void {
  if ((file !== undefined && file !== '-') || flags['secret-file'] !== '-') return;
  throw new SvcError('usage', 'both the secret and the body would come from standard input', {
    hint: 'name a file for one of them',
  });
}

/**
 * Reads a file, or standard input for `-` and where no file is given. Throws file, interrupted.
 * @param most where reading standard input or a FIFO stops, in bytes; up to one chunk more is returned
 */
export async function inputBytes(
  file: string | undefined,
  world: World,
  limit = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  if (file === undefined || file === '-') {
    if (world.stdin.isTTY) {
      throw new SvcError('file', 'there is no input: standard input is a terminal', {
        hint: 'name a file, or pipe the bytes in',
      });
    }
    return readAll(world, limit);
  }
  return fileBytes(file, world, limit);
}

/**
 * Reads a file. An interrupt ends the wait for a FIFO. Throws file, interrupted.
 * @param most where reading a FIFO stops, in bytes; up to one chunk more is returned
 */
export async function fileBytes(
  file: string,
  { cwd, onInterrupt }: Pick<World, 'cwd' | 'onInterrupt'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  try {
    const path = resolve(cwd, file);
    const pipe = await openPipe(path);
    return pipe ? await readAll({ stdin: pipe, onInterrupt }, limit) : await readFile(path);
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Reads a text file or pipe, up to `limit` bytes. Throws `file`, also for bytes that are not UTF-8. */
export async function fileText(
  file: string,
  world: Pick<World, 'cwd' | 'onInterrupt'>,
  limit: number,
): Promise<string> {
  return textOf(file, await fileBytes(file, world, limit));
}

/** Decodes what was read from a file or stream of this name. Throws `file` for bytes that are not UTF-8. */
export function textOf(name: string, bytes: Uint8Array): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw fileError(name, error);
  }
}

async function readAll(
  from: Pick<World, 'stdin' | 'onInterrupt'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdinChunks(from)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) break;
  }
  return Buffer.concat(chunks);
}
