import { type FileHandle, open } from 'node:fs/promises';

/** What an erased line begins with: every line of an outbox begins with its time. */
const TIME = /^\{"at":"[^"]*"/;

/**
 * Overwrites the lines of users in an outbox file, in place, so that lines that are appended meanwhile are not lost.
 * Does nothing without a file.
 */
export async function eraseFromOutbox(path: string, hashIds: ReadonlySet<string>): Promise<void> {
  const file = await openIfThere(path);
  if (!file) return;
  try {
    let at = 0;
    let erased = false;
    for await (const line of file.readLines({ start: 0, autoClose: false, encoding: 'latin1' })) {
      // Latin-1 keeps a character per byte. A carriage return is not part of a line that was written here.
      if (namesOneOf(line, hashIds)) {
        const [time = '{"at":""'] = TIME.exec(line) ?? [];
        const filler = `${time},"erased":true}`.slice(0, line.length).padEnd(line.length);
        await file.write(Buffer.from(filler, 'latin1'), 0, line.length, at);
        erased = true;
      }
      at += line.length + 1;
    }
    if (erased) await file.datasync();
  } finally {
    await file.close();
  }
}

function namesOneOf(line: string, hashIds: ReadonlySet<string>): boolean {
  const [, hashId] = /"hashId":"([0-9a-f]+)"/.exec(line) ?? [];
  return hashId !== undefined && hashIds.has(hashId);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
