import { closeSync, constants, openSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { readUtf8 } from './utf8-text.ts';

/**
 * Opens a FIFO or a terminal, on which a read may block forever, as a stream that can be destroyed at any time. Returns
 * undefined for any other file and for a missing one. If no process has opened the FIFO for writing, the stream waits
 * for one, not the open: a libuv thread blocked in open() or read() would prevent process.exit().
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

/** Opens a FIFO for writing; undefined for any other file. Throws ENXIO if no process reads it, instead of blocking. */
export async function openPipeToWrite(path: string): Promise<Writable | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return undefined;
  const fd = openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
  const { Socket } = await import('node:net');
  return new Socket({ fd, readable: false, writable: true });
}

/**
 * Reads a settings file. Throws ESPIPE for a FIFO, which might block and cannot be read again on reload, and EILSEQ for a
 * file that is not UTF-8.
 */
export function settingsText(path: string): string {
  if (statSync(path).isFIFO()) throw Object.assign(new Error('it is a pipe'), { code: 'ESPIPE', path });
  return readUtf8(path);
}
