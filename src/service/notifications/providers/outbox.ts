import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beginsWith, describeForeign, ForeignFile, NO_LINK } from '../../../kit/files/own-file.ts';
import type { ChannelAdapter, ChannelMessage, SendResult } from './channel.ts';

/** One line of the outbox file. */
interface OutboxLine {
  readonly at: string;
  readonly notificationId: string;
  readonly channel: string;
  readonly priority: string;
  readonly templateId: string;
  readonly hashId: string;
  readonly to: Record<string, string>;
  readonly subject?: string;
  readonly text: string;
}

/**
 * The default channel: writes one line of JSON per notification to a file of mode 0600, with personal fields masked.
 * A notification is accepted when its complete line is on the disk, and is written only once. `now` is Unix ms.
 * Never writes through a symbolic link or to a file that is not an outbox.
 */
export function outboxChannel(path: string, now: () => number): ChannelAdapter {
  let last: Promise<unknown> = Promise.resolve();
  return {
    name: 'outbox',
    deduplicates: true,
    oncePerUser: true,
    isOutbox: true,
    send(message): Promise<SendResult> {
      // One line at a time: a partially written line is removed before the next one.
      const written = last.then(() => write(path, message, now()));
      last = written;
      return written;
    },
    close: async () => void (await last),
  };
}

async function write(path: string, message: ChannelMessage, now: number): Promise<SendResult> {
  try {
    const foreign = await describeForeign(path, 'not an outbox', () => beginsWith(path, FIRST_FIELD));
    if (foreign) throw new ForeignFile(path, foreign);
    const file = await open(path, APPEND, 0o600);
    try {
      const repeated = message.earlierTries > 0 && (await contains(file, message.notificationId));
      if (!repeated) await append(file, `${JSON.stringify(lineOf(message, now))}\n`, dirname(path));
      // Also for a repeated notification: the worker that wrote the line may have stopped before it was on the disk.
      await file.datasync();
    } finally {
      await file.close();
    }
    return { outcome: 'accepted' };
  } catch (error) {
    return { outcome: 'retryable', error: (error as Error).message };
  }
}

function lineOf(message: ChannelMessage, now: number): OutboxLine {
  return {
    at: new Date(now).toISOString(),
    notificationId: message.notificationId,
    channel: message.channel,
    priority: message.priority,
    templateId: message.templateId,
    hashId: message.hashId,
    to: { ...message.masked.to },
    ...(message.masked.subject === undefined ? {} : { subject: message.masked.subject }),
    text: message.masked.text,
  };
}

/** Appends a complete line, or throws and leaves the file unchanged. */
async function append(file: FileHandle, line: string, folder: string): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) await syncFolder(folder);
  // A killed worker, or another process on a full disk, may have left a partial line.
  const torn = size > 0 && (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== NEWLINE;
  const bytes = Buffer.from(torn ? `\n${line}` : line);
  let written = 0;
  try {
    while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
  } catch (error) {
    // Remove only this write: another process may have appended since.
    const unchanged = (await file.stat()).size === size + written;
    if (unchanged && written > 0) await file.truncate(size);
    throw error;
  }
}

const NEWLINE = 0x0a;
/** How every line begins. */
const FIRST_FIELD = '{"at":"';
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_LINK;

/** A new file survives a power failure only if its directory entry is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** True if the file contains the complete line of a notification: a partial line is not JSON. */
async function contains(file: FileHandle, notificationId: string): Promise<boolean> {
  const mark = `"notificationId":${JSON.stringify(notificationId)}`;
  for await (const line of file.readLines({ start: 0, autoClose: false }))
    if (line.includes(mark) && isJson(line)) return true;
  return false;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
