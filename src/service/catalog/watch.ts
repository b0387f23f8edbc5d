import { statSync } from 'node:fs';

/** How often the file is looked at, in ms. */
const LOOK_MS = 500;

/** Tells one state of a file from another; null where there is no file to look at, or no leave to. */
export function markOf(path: string): string | null {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return null;
  }
}

/**
 * Calls `changed` when the file is no longer as `mark` has it. The mark is taken before the file is read, so a change
 * between the two is seen; `fs.watchFile` takes its own later, and `fs.watch` loses a file that is replaced.
 * A file that is gone is waited for. Returns what stops it.
 */
export function watchSince(path: string, mark: string | null, changed: () => void): () => void {
  let seen = mark;
  const timer = setInterval(() => {
    const found = markOf(path);
    if (found === null || found === seen) return;
    seen = found;
    changed();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
