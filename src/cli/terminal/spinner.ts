import type { Output } from './output.ts';
import { sanitize } from './sanitize.ts';
import type { World } from './world.ts';

/** Turns a spinner on stderr while `work` is under way: only on a terminal that is watched, and gone afterwards. */
export async function withSpinner<T>(
  world: World,
  out: Output,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const stream = world.stderr as NodeJS.WriteStream;
  if (!stream.isTTY || !stream.cursorTo || out.quiet || out.json) return work();
  const { default: ora } = await import('ora');
  const spinner = ora({
    text: sanitize(text),
    stream,
    color: out.colors(stream) ? 'cyan' : false,
    // Both would listen to the terminal's signals and input, which are the command's.
    hideCursor: false,
    discardStdin: false,
  }).start();
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}
