import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Hint, SvcError } from '../errors/svc-error.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { World } from '../terminal/world.ts';
import { stdinChunks } from './stdin.ts';

/** Where an answer comes from if nobody can be asked, and how it is judged. */
export interface Asking {
  readonly noInput: boolean;
  /** How to give the answer otherwise. */
  readonly instead: Hint;
  /** Throws an SvcError for an answer that will not do: its message is shown, and the question asked again. */
  readonly check?: (answer: string) => void;
}

/** True where somebody can be asked. */
export function canAsk({ stdin, stderr }: World, noInput: boolean): boolean {
  return !noInput && stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks for a secret on the terminal without showing what is typed. Throws usage where nobody answers, and interrupted.
 */
export function askSecret(world: World, question: string, asking: Asking): Promise<string> {
  return ask(world, question, asking, async () => {
    world.stderr.write(`${question} (not shown): `);
    // readline echoes to its output: one that swallows everything keeps the secret off the screen.
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: world.stdin, output: silent, terminal: true });
    try {
      return await answerOf(lines, '');
    } finally {
      lines.close();
      world.stderr.write('\n');
    }
  });
}

/** Asks for a line of text on the terminal. Throws usage where nobody answers, and interrupted. */
export function askLine(world: World, question: string, asking: Asking): Promise<string> {
  return ask(world, question, asking, async () => {
    const lines = createInterface({ input: world.stdin, output: world.stderr });
    let answer: string | undefined;
    try {
      answer = await answerOf(lines, `${question}: `);
      return answer;
    } finally {
      lines.close();
      // The cursor still stands behind the question.
      if (answer === undefined) world.stderr.write('\n');
    }
  });
}

async function ask(
  world: World,
  question: string,
  { noInput, instead, check }: Asking,
  once: () => Promise<string | undefined>,
): Promise<string> {
  if (!canAsk(world, noInput))
    throw new SvcError('usage', `${question} is needed, and there is no terminal to ask on`, {
      hint: instead,
    });
  for (;;) {
    const answer = (await once())?.trim();
    if (answer === undefined) throw new SvcError('usage', `no ${question} was given`, { hint: instead });
    try {
      check?.(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      world.stderr.write(`${sanitizeLine(error.message)}\n`);
    }
  }
}

/** Asks a question that only y or yes agrees to. Throws usage where nobody can answer, and interrupted. */
export async function confirm(
  world: World,
  question: string,
  { noInput, instead }: { noInput: boolean; instead: Hint },
): Promise<boolean> {
  if (!canAsk(world, noInput))
    throw new SvcError('usage', `${question} There is no terminal to ask on`, { hint: instead });
  const lines = createInterface({ input: world.stdin, output: world.stderr });
  let answer: string | undefined;
  try {
    answer = await answerOf(lines, `${question} [y/N] `);
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    lines.close();
    if (answer === undefined) world.stderr.write('\n');
  }
}

/** The line typed; undefined where the input ended (Ctrl-D, a terminal that went away). Throws interrupted at Ctrl-C. */
async function answerOf(lines: Interface, question: string): Promise<string | undefined> {
  let interrupted = false;
  // With a listener, readline leaves Ctrl-C to it; without one it fails the question, as a fault of the program.
  lines.once('SIGINT', () => {
    interrupted = true;
    lines.close();
  });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answer = await Promise.race([lines.question(question).catch(ended), closed]);
  if (interrupted)
    throw new SvcError('interrupted', 'interrupted before there was an answer', {
      hint: (invocation) => invocation.again(),
    });
  return answer;
}

function ended(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ABORT_ERR') throw error;
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
