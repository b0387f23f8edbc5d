import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/**
 * Opens what a read may wait for without end, a FIFO or a terminal, as a stream that can be destroyed at any time.
 * Undefined for any other file, also one that is missing. A FIFO that nobody has opened for writing is waited for by
 * the stream, not by the open: a thread of libuv that waits inside of open() or read() would outlive process.exit().
 */
export async function openPipe(path: string): Promise<Readable | undefined> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFIFO() && !stat?.isCharacterDevice()) return undefined;
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const [{ Socket }, tty] = await Promise.all([import('node:net'), import('node:tty')]);
  if (stat.isFIFO()) return new Socket({ fd, readable: true, writable: false });
  if (tty.isatty(fd)) return new tty.ReadStream(fd);
  closeSync(fd);
  return undefined;
}

/** Opens a FIFO for writing; undefined for any other file. Throws ENXIO where nobody reads it, which open() waits for. */
export async function openPipeToWrite(path: string): Promise<Writable | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return undefined;
  const fd = openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
  const { Socket } = await import('node:net');
  return new Socket({ fd, readable: false, writable: true });
}

/** The text of a settings file. Throws ESPIPE for a FIFO: it cannot be read a second time, and nobody may write to it. */
export function settingsText(path: string): string {
  if (statSync(path).isFIFO()) throw Object.assign(new Error('it is a pipe'), { code: 'ESPIPE', path });
  return readFileSync(path, 'utf8');
}
