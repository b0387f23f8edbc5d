import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Hint, SvcError } from '../errors/svc-error.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { World } from '../terminal/world.ts';
import { textOf } from './input-bytes.ts';
import { stdinChunks } from './stdin.ts';

/** How to prompt, and what to suggest where prompting is not possible. */
export interface PromptOptions {
  readonly noInput: boolean;
  /** The hint: how to provide the answer without a prompt. */
  readonly instead: Hint;
  /** Throws an SvcError for an invalid answer: its message is shown and the prompt repeated. */
  readonly check?: (answer: string) => void;
}

/** Returns whether the command can prompt. */
export function canAsk({ stdin, stderr }: World, noInput: boolean): boolean {
  return !noInput && stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Prompts for a secret without echoing it. Throws usage where there is no answer, and interrupted.
 */
export function askSecret(world: World, question: string, options: PromptOptions): Promise<string> {
  return ask(world, question, options, async () => {
    world.stderr.write(`${question} (not shown): `);
    // readline echoes to its output, so it gets one that discards everything.
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

/** Prompts for a line of text. Throws usage where there is no answer, and interrupted. */
export function askLine(world: World, question: string, options: PromptOptions): Promise<string> {
  return ask(world, question, options, async () => {
    const lines = createInterface({ input: world.stdin, output: world.stderr });
    let answer: string | undefined;
    try {
      answer = await answerOf(lines, `${question}: `);
      return answer;
    } finally {
      lines.close();
      // The cursor is still on the line of the question.
      if (answer === undefined) world.stderr.write('\n');
    }
  });
}

async function ask(
  world: World,
  question: string,
  { noInput, instead, check }: PromptOptions,
  once: () => Promise<string | undefined>,
): Promise<string> {
  if (!canAsk(world, noInput))
    throw new SvcError('usage', `${question} is required, and there is no terminal to prompt on`, {
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

/** Prompts for confirmation; only y or yes confirms. Throws usage without a terminal, and interrupted. */
export async function confirm(
  world: World,
  question: string,
  { noInput, instead }: { noInput: boolean; instead: Hint },
): Promise<boolean> {
  if (!canAsk(world, noInput))
    throw new SvcError('usage', `${question} There is no terminal to prompt on`, { hint: instead });
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

/** Reads one line; undefined where the input ended (Ctrl-D, a closed terminal). Throws interrupted at Ctrl-C. */
async function answerOf(lines: Interface, question: string): Promise<string | undefined> {
  let interrupted = false;
  // Without a listener for SIGINT, readline would reject the question with an error of its own.
  lines.once('SIGINT', () => {
    interrupted = true;
    lines.close();
  });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answer = await Promise.race([lines.question(question).catch(ended), closed]);
  if (interrupted)
    throw new SvcError('interrupted', 'interrupted before there was an answer', {
      hint: (invocation) => invocation.rerunWith(),
    });
  return answer;
}

function ended(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ABORT_ERR') throw error;
}

/** Reads standard input as text. Throws usage beyond `limit` bytes, and interrupted. */
export async function readStdin(world: World, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdinChunks(world)) {
    bytes += chunk.length;
    if (bytes > limit)
      throw new SvcError('usage', `standard input is larger than ${limit} bytes`, {
        hint: 'pipe in only what the command reads',
      });
    chunks.push(chunk);
  }
  return textOf('standard input', Buffer.concat(chunks));
}
