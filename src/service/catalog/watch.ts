import { statSync } from 'node:fs';

/** Poll interval, in ms. */
const POLL_MS = 500;

/** Identifies the version of a file; null if it does not exist or cannot be read. */
export function fileVersion(path: string): string | null {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch {
    return null;
  }
}

/**
 * Calls `onChange` whenever the version of a file changes, starting from `version`. Take the version before reading the
 * file, so that no change in between is lost: `fs.watchFile` reads it later, and `fs.watch` loses a replaced file.
 * A missing file is ignored until it exists again. Returns a function that stops watching.
 */
export function watchSince(path: string, version: string | null, onChange: () => void): () => void {
  let known = version;
  const timer = setInterval(() => {
    const found = fileVersion(path);
    if (found === null || found === known) return;
    known = found;
    onChange();
  }, POLL_MS).unref();
  return () => clearInterval(timer);
}
