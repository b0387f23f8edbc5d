import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileFailure } from '../file-failure.ts';
import type { World } from '../world.ts';

/** The lines of a file, or of standard input for `-`. Throws file. */
export async function* recordingLines(file: string, world: World): AsyncGenerator<string> {
  if (file === '-') {
    yield* createInterface({ input: world.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    return;
  }
  try {
    const handle = await open(resolve(world.cwd, file));
    try {
      for await (const line of handle.readLines()) yield line;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileFailure(file, error);
  }
}
