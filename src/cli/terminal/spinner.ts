import type { Output } from './output.ts';
import { sanitize } from './sanitize.ts';
import type { World } from './world.ts';

/** Shows a spinner on stderr during `work`: only on a terminal, not under --quiet and --json. */
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
    // Both would handle signals and input that the command handles.
    hideCursor: false,
    discardStdin: false,
  }).start();
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}
