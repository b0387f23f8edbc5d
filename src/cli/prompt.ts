import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SvcError } from './errors.ts';
import { stdinChunks } from './stdin.ts';
import type { World } from './world.ts';

/**
 * Asks for a secret on the terminal without showing what is typed. Throws usage where nobody can answer.
 * `instead` says how to give it otherwise.
 */
export async function askSecret(
  world: World,
  question: string,
  { noInput, instead }: { noInput: boolean; instead: string },
): Promise<string> {
  if (noInput || !world.stdin.isTTY || !world.stderr.isTTY) {
    throw new SvcError('usage', `${question} is needed, and there is no terminal to ask on`, {
      hint: instead,
    });
  }
  world.stderr.write(`${question} (not shown): `);
  // readline echoes to its output: one that swallows everything keeps the secret off the screen.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: world.stdin, output: silent, terminal: true });
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    world.stderr.write('\n');
  }
}

/** Asks a question that only y or yes agrees to. Throws usage where nobody can answer. */
export async function confirm(
  world: World,
  question: string,
  { noInput, instead }: { noInput: boolean; instead: string },
): Promise<boolean> {
  if (noInput || !world.stdin.isTTY || !world.stderr.isTTY)
    throw new SvcError('usage', `${question} There is no terminal to ask on`, { hint: instead });
  const lines = createInterface({ input: world.stdin, output: world.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** Reads all of standard input as text, at most `most` bytes. Throws usage beyond, and interrupted. */
export async function readStdin(world: World, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdinChunks(world)) {
    bytes += chunk.length;
    if (bytes > most)
      throw new SvcError('usage', `standard input is larger than ${most} bytes`, {
        hint: 'pipe in only what the command asks for',
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
