/**
 * What `listen --record` writes and `replay` reads: NDJSON, one verified delivery a line,
 * `{"receivedAt", "kind", "headers", "body"}` with the body in base64, so that every byte survives.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { openPipeToWrite } from '../../kit/pipe.ts';
import { endToEnd } from './deliverer.ts';
import { type Delivery, readBody } from './delivery.ts';

/** Enough to see how a record begins. */
const SIGNATURE_BYTES = 64;

export interface Recorded {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly kind: string | undefined;
  /** Name and value alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** One delivery as a line, without its line end. */
export function formatRecorded(delivery: Delivery): string {
  const lines = endToEnd(delivery.rawHeaders);
  const headers: Record<string, string> = {};
  for (let i = 0; i < lines.length; i += 2) {
    const name = (lines[i] as string).toLowerCase();
    headers[name] = name in headers ? `${headers[name]}, ${lines[i + 1]}` : (lines[i + 1] as string);
  }
  return JSON.stringify({
    receivedAt: new Date(delivery.receivedAt).toISOString(),
    kind: delivery.kind ?? null,
    headers,
    body: delivery.body.toString('base64'),
  });
}

/** Reads one line. Returns what is wrong with it, in words, where it is no recorded delivery. */
export function parseRecorded(line: string): Recorded | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no JSON object';
  const { receivedAt, headers = {}, body } = value as Record<string, unknown>;
  const time = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN;
  if (Number.isNaN(time)) return 'has no date-time in "receivedAt"';
  if (typeof body !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(body)) return 'has no base64 in "body"';
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return 'has no object in "headers"';
  const lines: string[] = [];
  for (const [name, text] of Object.entries(headers)) {
    if (typeof text !== 'string') return `has a header ${name} that is no string`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      return `has a header ${JSON.stringify(name)} that HTTP cannot carry`;
    }
    lines.push(name, text);
  }
  const bytes = Buffer.from(body, 'base64');
  return { receivedAt: time, kind: readBody(bytes).kind, headers: endToEnd(lines), body: bytes };
}

/** What stands where deliveries are to be recorded is not a record of deliveries. */
export class NotARecording extends Error {
  override name = 'NotARecording';
}

/** What stands at `path`, in words, where a record must not be added to it. */
async function describeOtherContent(path: string): Promise<string | undefined> {
  const target = await stat(path).catch(() => undefined);
  const link = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
  // A pipe or a device takes what it is given.
  if (link && (!target || target.isFile())) return 'a symbolic link';
  if (!target?.isFile() || target.size === 0) return undefined;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).startsWith('{"receivedAt":')
      ? undefined
      : 'not a record of deliveries';
  } finally {
    await file.close();
  }
}

/** Appends deliveries to a file that only its owner can read. */
export class Recorder {
  readonly #stream: Writable;
  readonly #failed: Promise<never>;

  private constructor(stream: Writable) {
    this.#stream = stream;
    this.#failed = new Promise((_, reject) => stream.once('error', reject));
    this.#failed.catch(() => {}); // told to whoever waits for `failed` or `close`
  }

  /**
   * Opens the file for appending. Rejects with Node's error where it cannot be written, and with NotARecording where it
   * is a link, or holds something else than deliveries.
   */
  static async open(path: string): Promise<Recorder> {
    const foreign = await describeOtherContent(path);
    if (foreign) throw new NotARecording(`${path} is ${foreign}: nothing was added to it`);
    const pipe = await openPipeToWrite(path);
    if (pipe) return new Recorder(pipe);
    const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    await once(stream, 'open');
    return new Recorder(stream);
  }

  /** Rejects when a write fails (a full disk); never resolves. */
  get failed(): Promise<never> {
    return this.#failed;
  }

  write(delivery: Delivery): void {
    this.#stream.write(`${formatRecorded(delivery)}\n`);
  }

  /** Resolves once everything is written. */
  async close(): Promise<void> {
    this.#stream.end();
    await Promise.race([once(this.#stream, 'close'), this.#failed]);
  }
}
