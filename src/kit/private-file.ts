import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory that only its owner can enter, and those above it, if they are not there. One level at a time:
 * Node's `recursive` never returns where the system refuses a name although its parent exists, as below /proc.
 */
export function ensurePrivateDir(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensurePrivateDir(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process made it at the same moment. A link that leads nowhere exists as well, but is no directory.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw error;
  }
}

/**
 * Writes a file that only its owner can read (0600 under any umask), atomically: a reader or a crash sees the old
 * content or the new one, never half of it.
 */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  ensurePrivateDir(dirname(path));
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    try {
      fchmodSync(file, 0o600);
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
