import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { ensurePrivateFile } from '../../kit/files/private-file.ts';

/** What a backup says of itself. */
const manifestSchema = z.object({
  version: z.string(),
  schema: z.number(),
  createdAt: z.string(),
  /** Fingerprint of the data key, which is not in the backup; null where none was needed. */
  dataKey: z.string().nullable(),
  workspaces: z.array(z.string()),
  rows: z.number(),
  tables: z.array(z.object({ table: z.string(), rows: z.number(), digest: z.string() })),
  /** The packed SQLite file behind the manifest. */
  bytes: z.number(),
  sha256: z.string(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The first line of a backup: the manifest, and the SHA-256 of its text. */
const headSchema = z.object({ svcBackup: z.literal(1), check: z.string(), manifest: manifestSchema });

/** A file is not a backup, or not a whole one. Nothing was written. */
class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}

/** Bytes of the first line: it names a table in a hundred bytes and a workspace in less. */
const MAX_HEAD = 16 * 1024 * 1024;
const PIECE = 64 * 1024;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function hashOfRest(
  file: string,
  start: number,
  signal: AbortSignal,
): Promise<Pick<Manifest, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { start, signal })) hash.update(chunk as Buffer);
  return { bytes: statSync(file).size - start, sha256: hash.digest('hex') };
}

/**
 * Writes a backup with mode 0600: a line of JSON, and the SQLite file as gzip (RFC 1952). It appears when it is whole. `packed`
 * is a file for the meantime, in a folder of its own beside it.
 */
export async function pack(
  sqliteFile: string,
  packed: string,
  said: Omit<Manifest, 'bytes' | 'sha256'>,
  file: string,
  signal: AbortSignal,
): Promise<Manifest> {
  ensurePrivateFile(packed);
  await pipeline(
    createReadStream(sqliteFile),
    createGzip({ level: constants.Z_BEST_SPEED }),
    createWriteStream(packed, { flags: 'r+' }),
    { signal },
  );
  const manifest: Manifest = { ...said, ...(await hashOfRest(packed, 0, signal)) };
  const head = { svcBackup: 1, check: sha256(JSON.stringify(manifest)), manifest };
  const whole = `${packed}.whole`;
  ensurePrivateFile(whole);
  await pipeline(
    async function* () {
      yield Buffer.from(`${JSON.stringify(head)}\n`);
      yield* createReadStream(packed);
    },
    createWriteStream(whole, { flags: 'r+', flush: true }),
    { signal },
  );
  renameSync(whole, file);
  return manifest;
}

/**
 * Reads a whole backup, and then writes its SQLite file to `sqliteFile` (0600). Rejects with BackupDamaged if a byte is
 * missing or changed.
 */
export async function unpack(file: string, sqliteFile: string, signal: AbortSignal): Promise<Manifest> {
  const line = await firstLine(file);
  const manifest = manifestOf(line);
  const start = Buffer.byteLength(line ?? '') + 1;
  const rest = manifest && (await hashOfRest(file, start, signal));
  if (!manifest || rest!.bytes !== manifest.bytes || rest!.sha256 !== manifest.sha256)
    throw new BackupDamaged(`${file} is not a whole backup: it was cut short or changed, or is no backup`);
  ensurePrivateFile(sqliteFile);
  await pipeline(
    createReadStream(file, { start }),
    createGunzip(),
    createWriteStream(sqliteFile, { flags: 'r+' }),
    {
      signal,
    },
  );
  return manifest;
}

/** The first line of a file; undefined if it is longer than that of a backup. */
async function firstLine(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const pieces: Buffer[] = [];
    for (let at = 0; at < MAX_HEAD; at += PIECE) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PIECE), 0, PIECE, at);
      const piece = buffer.subarray(0, bytesRead);
      const end = piece.indexOf('\n');
      pieces.push(end < 0 ? piece : piece.subarray(0, end));
      if (end >= 0) return Buffer.concat(pieces).toString();
      if (bytesRead < PIECE) return undefined;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

/** The manifest of a first line, as it was written; undefined if it is none. */
function manifestOf(line: string | undefined): Manifest | undefined {
  if (!line?.startsWith('{"svcBackup":')) return undefined;
  try {
    const head = headSchema.parse(JSON.parse(line));
    const isAsWritten = JSON.stringify(head) === line && sha256(JSON.stringify(head.manifest)) === head.check;
    return isAsWritten ? head.manifest : undefined;
  } catch {
    return undefined;
  }
}
