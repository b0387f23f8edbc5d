/**
 * The format that `listen --record` writes and `replay` reads: NDJSON with one verified delivery per line,
 * `{"receivedAt", "kind", "headers", "body"}`. The body is base64, which preserves every byte.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { beginsWith, describeForeign } from '../../kit/files/own-file.ts';
import { openPipeToWrite } from '../../kit/pipe.ts';
import { endToEnd } from './deliverer.ts';
import { type Delivery, readBody } from './delivery.ts';

export interface Recorded {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly kind: string | undefined;
  /** Alternating header names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Formats a delivery as one line, without the line terminator. */
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

/** Parses one line. Returns the reason as a string where it is not a recorded delivery. */
export function parseRecorded(line: string): Recorded | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object';
  const { receivedAt, headers = {}, body } = value as Record<string, unknown>;
  const time = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN;
  if (Number.isNaN(time)) return 'has no valid date-time in "receivedAt"';
  if (typeof body !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(body))
    return 'has no valid base64 in "body"';
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return 'has no object in "headers"';
  const lines: string[] = [];
  for (const [name, text] of Object.entries(headers)) {
    if (typeof text !== 'string') return `has a header ${name} that is not a string`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      return `has a header ${JSON.stringify(name)} that is not valid in HTTP`;
    }
    lines.push(name, text);
  }
  const bytes = Buffer.from(body, 'base64');
  return { receivedAt: time, kind: readBody(bytes).kind, headers: endToEnd(lines), body: bytes };
}

/** The file to record to exists and is not a recording. */
export class NotARecording extends Error {
  override name = 'NotARecording';
}

/** Describes the existing content of `path` where a recording must not be appended to it; else returns undefined. */
async function describeOtherContent(path: string): Promise<string | undefined> {
  const target = await stat(path).catch(() => undefined);
  // A pipe or a device can always be written to.
  if (target && !target.isFile()) return undefined;
  return describeForeign(path, 'not a recording of deliveries', () => beginsWith(path, '{"receivedAt":'));
}

/** Appends deliveries to a file with mode 0600. */
export class Recorder {
  readonly #stream: Writable;
  readonly #failed: Promise<never>;

  private constructor(stream: Writable) {
    this.#stream = stream;
    this.#failed = new Promise((_, reject) => stream.once('error', reject));
    this.#failed.catch(() => {}); // reported by `failed` and `close`
  }

  /**
   * Opens the file for appending. Rejects with the error of Node where it cannot be written, and with NotARecording
   * where it is a symbolic link or has other content.
   */
  static async open(path: string): Promise<Recorder> {
    const foreign = await describeOtherContent(path);
    if (foreign) throw new NotARecording(`${path} is ${foreign}; it was not changed`);
    const pipe = await openPipeToWrite(path);
    if (pipe) return new Recorder(pipe);
    const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    await once(stream, 'open');
    return new Recorder(stream);
  }

  /** Rejects when a write fails, for example on a full disk. Never resolves. */
  get failed(): Promise<never> {
    return this.#failed;
  }

  write(delivery: Delivery): void {
    this.#stream.write(`${formatRecorded(delivery)}\n`);
  }

  /** Resolves once all deliveries are written. */
  async close(): Promise<void> {
    this.#stream.end();
    await Promise.race([once(this.#stream, 'close'), this.#failed]);
  }
}
