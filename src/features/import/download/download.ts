import { dirname } from 'node:path';
import { PartFile } from '../../../cli/files/part-file.ts';
import { bytesText } from '../../../cli/terminal/bytes.ts';
import type { TransportError } from '../../../client/errors.ts';
import type { Open } from '../../../client/open-stream.ts';
import { retryAfterMs } from '../../../client/pacer/answer.ts';
import { retryWait } from '../../../client/retry-policy.ts';
import { httpTransport } from '../../../client/transport.ts';
import type { Clock } from '../../../kit/clock.ts';
import {
  connectionError,
  diskError,
  encodedError,
  failedDownload,
  interruptedDownload,
  isFinal,
  redirected,
  refusedDownload,
  webPageError,
} from './download-error.ts';
import { freeSpace, REQUIRED_FREE } from './free-space.ts';
import { KeptDownload } from './kept-downloads.ts';
import { readAhead } from './read-ahead.ts';
import { ifChanged, ifRange, isSameVersion, startOf, type Version, versionOf } from './validators.ts';

/** Attempts in a row that bring nothing new. */
const MAX_TRIES = 6;
/** Redirects within one host. */
const MAX_REDIRECTS = 5;
/** How long a server may send nothing, in ms. */
const IDLE_MS = 30_000;
/** Bytes after which the free space is looked at again. */
const CHECKED_BYTES = 64 * 1024 * 1024;

export interface DownloadOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly onNotice: (text: string) => void;
  /** Called with the bytes that have arrived, and those of the whole file. */
  readonly onProgress: (bytes: number, size: number | null) => void;
}

/** A file that was downloaded. */
export interface Downloaded {
  readonly path: string;
  readonly contentType: string;
}

/**
 * Downloads a file into the data folder, or takes the one that is there if the server says that it did not change. Goes on
 * after a lost connection, and after a run that was interrupted or killed. Throws an SvcError.
 */
export async function download(url: URL, name: string, options: DownloadOptions): Promise<Downloaded> {
  const kept = new KeptDownload(options.dataDir, name);
  const part = await PartFile.open<Version>(kept.path, { identity: name, restart: false, name });
  const run = new Download(url, name, kept, part, options);
  try {
    return await run.run();
  } finally {
    if (part.bytes === 0) await part.discard();
    else await part.close();
  }
}

/** The file of an address as it was downloaded before, for an import that goes on with it. */
export function downloadedBefore(dataDir: string, name: string): Downloaded | undefined {
  const kept = new KeptDownload(dataDir, name);
  const version = kept.version();
  if (version) kept.use(version);
  return version && { path: kept.path, contentType: version.contentType };
}

/** What came of an attempt. */
type Attempt =
  | { readonly end: 'complete' }
  | { readonly end: 'unchanged' }
  | { readonly end: 'again' }
  | { readonly end: 'moved'; readonly to: URL }
  | {
      readonly end: 'failed';
      readonly text: string;
      readonly error?: TransportError;
      readonly waitMs?: number | undefined;
    };

type Answer = Awaited<ReturnType<Open>>;

class Download {
  readonly #name: string;
  readonly #kept: KeptDownload;
  readonly #part: PartFile<Version>;
  readonly #options: DownloadOptions;
  #url: URL;
  /** The version of which the part is; undefined before the first answer. */
  #version: Version | undefined;

  constructor(url: URL, name: string, kept: KeptDownload, part: PartFile<Version>, options: DownloadOptions) {
    this.#url = url;
    this.#name = name;
    this.#kept = kept;
    this.#part = part;
    this.#options = options;
    this.#version = part.saved?.state;
  }

  async run(): Promise<Downloaded> {
    const { signal, clock, random, onNotice } = this.#options;
    let most = this.#part.bytes;
    let redirects = 0;
    // It was killed between the last byte and its end.
    if (most > 0 && this.#version?.size === most) return this.#complete();
    for (let tries = 1; ; ) {
      this.#endIfStopped();
      const attempt = await this.#attempt();
      if (attempt.end === 'complete') return this.#complete();
      if (attempt.end === 'unchanged') {
        await this.#part.discard();
        return this.#use(this.#kept.version()!);
      }
      if (attempt.end === 'moved') {
        if (++redirects > MAX_REDIRECTS)
          throw failedDownload(this.#name, { text: `more than ${MAX_REDIRECTS} redirects` });
        this.#url = attempt.to;
        continue;
      }
      // A server that always ends at the same place brings nothing new, even if it begins again each time.
      if (this.#part.bytes > most) tries = 1;
      most = Math.max(most, this.#part.bytes);
      if (attempt.end === 'again') {
        if (++tries > MAX_TRIES) throw failedDownload(this.#name, { text: 'the file changes all the time' });
        continue;
      }
      if (tries >= MAX_TRIES || isFinal(attempt.error)) throw failedDownload(this.#name, attempt);
      const waitMs = retryWait(tries++, attempt.waitMs, random);
      onNotice(
        `${attempt.text}; going on at ${bytesText(this.#part.bytes)} in ${Math.ceil(waitMs / 1000)} s`,
      );
      await clock.sleep(waitMs, signal).catch(() => this.#endIfStopped());
    }
  }

  /** One request, and what follows from its answer. */
  async #attempt(): Promise<Attempt> {
    const idle = new AbortController();
    const end = () => idle.abort(new DOMException('no bytes in time', 'TimeoutError'));
    let timer = setTimeout(end, IDLE_MS);
    const transport = httpTransport(this.#url.origin, { connections: 1 });
    try {
      const answer = await transport.open({
        method: 'GET',
        path: this.#url.pathname + this.#url.search,
        headers: this.#headers(),
        repeatable: true,
        signal: AbortSignal.any([this.#options.signal, idle.signal]),
      });
      return (
        (await this.#refusal(answer)) ??
        (await this.#store(answer, () => {
          clearTimeout(timer);
          timer = setTimeout(end, IDLE_MS);
        }))
      );
    } catch (error) {
      if (this.#options.signal.aborted) {
        await this.#save();
        this.#endIfStopped();
      }
      const failure = connectionError(error, this.#url);
      if (!failure) throw error;
      await this.#save();
      return { end: 'failed', text: failure.message, error: failure };
    } finally {
      clearTimeout(timer);
      await transport.close();
    }
  }

  #headers(): Record<string, string> {
    const { userAgent } = this.#options;
    const common = { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' };
    const bytes = this.#part.bytes;
    if (bytes > 0 && this.#version) {
      const condition = ifRange(this.#version);
      if (condition !== undefined) return { ...common, range: `bytes=${bytes}-`, 'if-range': condition };
    }
    const before = this.#kept.version();
    return { ...common, ...(before && ifChanged(before)) };
  }

  /** The end of an attempt whose answer holds no file; undefined for one that does. Throws for what is final. */
  async #refusal({ status, headers }: Answer): Promise<Attempt | undefined> {
    const name = this.#name;
    if (status === 304 && this.#kept.version()) return { end: 'unchanged' };
    if (status === 416 && this.#part.bytes > 0) {
      await this.#restart('it is shorter than what arrived before');
      return { end: 'again' };
    }
    if (status >= 300 && status < 400) {
      const { location = '' } = headers;
      const to = URL.canParse(location, this.#url.href) ? new URL(location, this.#url.href) : undefined;
      if (to?.origin !== this.#url.origin) throw redirected(name, to);
      return { end: 'moved', to };
    }
    if (status === 429 || (status >= 500 && status !== 501 && status !== 505)) {
      const waitMs = retryAfterMs(headers['retry-after'], this.#options.clock.now());
      return { end: 'failed', text: `${this.#url.host} answers HTTP ${status}`, waitMs };
    }
    if (status !== 200 && status !== 206) throw refusedDownload(name, status);
    const encoding = headers['content-encoding'] ?? 'identity';
    // A gzip is read like any other.
    if (!/^(identity|gzip|x-gzip|zstd|aws-chunked)$/i.test(encoding)) throw encodedError(name, encoding);
    if (/^(text\/html|application\/xhtml\+xml)$/.test(versionOf(headers).contentType))
      throw webPageError(name);
    return undefined;
  }

  /** Stores the body of an answer. */
  async #store({ status, headers, body }: Answer, onBytes: () => void): Promise<Attempt> {
    const { onProgress, clock } = this.#options;
    const chunks = readAhead(body);
    const version = versionOf(headers);
    const before = this.#version;
    const part = this.#part;
    if (part.bytes > 0 || status === 206) {
      const isContinued =
        status === 206 && before && startOf(headers) === part.bytes && isSameVersion(version, before);
      if (!isContinued) {
        const same = before !== undefined && isSameVersion(version, before);
        await this.#restart(same ? 'the server sends it from its beginning only' : 'it changed');
        if (status === 206) return { end: 'again' };
      }
    }
    if (part.bytes === 0) {
      this.#version = version;
      await this.#save();
    }
    let looked = -CHECKED_BYTES;
    for await (const chunk of chunks) {
      onBytes();
      if (part.bytes - looked >= CHECKED_BYTES) {
        looked = part.bytes;
        this.#requireSpace(version.size);
      }
      await this.#write(() => part.append(chunk));
      await this.#write(() => part.save(() => this.#version!, clock.now()));
      onProgress(part.bytes, version.size);
    }
    if (version.size === null || version.size === part.bytes) return { end: 'complete' };
    await this.#save();
    return {
      end: 'failed',
      text: `${this.#url.host} ended the file after ${part.bytes} of ${version.size} bytes`,
    };
  }

  /** Makes what arrived the file of the address, unless it has the same content: then that one stays. */
  async #complete(): Promise<Downloaded> {
    const version = this.#version!;
    await this.#write(async () => {
      if (await this.#kept.holds(`${this.#kept.path}.part`)) return this.#part.discard();
      this.#kept.forget();
      await this.#part.complete();
    });
    return this.#use(version);
  }

  #use(version: Version): Downloaded {
    this.#kept.use(version);
    return { path: this.#kept.path, contentType: version.contentType };
  }

  async #restart(why: string): Promise<void> {
    this.#options.onNotice(`${this.#name} is downloaded from its beginning again: ${why}`);
    this.#version = undefined;
    await this.#part.reset();
  }

  async #save(): Promise<void> {
    const version = this.#version;
    if (version) await this.#write(() => this.#part.save(() => version, this.#options.clock.now(), true));
  }

  async #write(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!/^(ENOSPC|EDQUOT|EFBIG|EIO)$/.test(code)) throw error;
      throw diskError(this.#name, `no space is left in ${dirname(this.#kept.path)}`, error);
    }
  }

  #requireSpace(size: number | null): void {
    const free = freeSpace(dirname(this.#kept.path));
    const needed = (size === null ? 0 : size - this.#part.bytes) + REQUIRED_FREE;
    if (free >= needed) return;
    throw diskError(
      this.#name,
      `${bytesText(needed)} are needed in ${dirname(this.#kept.path)}, and ${bytesText(free)} are free`,
    );
  }

  #endIfStopped(): void {
    if (this.#options.signal.aborted) throw interruptedDownload(this.#name, bytesText(this.#part.bytes));
  }
}
