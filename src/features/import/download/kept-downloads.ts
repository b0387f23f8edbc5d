import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDir, writePrivateFile } from '../../../kit/files/private-file.ts';
import type { Version } from './validators.ts';

/** How long the file of an address is kept after its last use, in ms. */
const KEPT_MS = 7 * 86_400_000;
const ABOUT = 'about.json';

/** The files of one address in the data folder. */
export class KeptDownload {
  /** The complete file. */
  readonly path: string;
  readonly #about: string;

  /** `name` is that of the address (see addressName). */
  constructor(dataDir: string, name: string) {
    const folder = join(
      downloadsFolder(dataDir),
      createHash('sha256').update(name).digest('hex').slice(0, 32),
    );
    ensurePrivateDir(folder);
    this.path = join(folder, 'content');
    this.#about = join(folder, ABOUT);
  }

  /** The version of the complete file; undefined if there is none. */
  version(): Version | undefined {
    if (!existsSync(this.path)) return undefined;
    try {
      const version = JSON.parse(readFileSync(this.#about, 'utf8')) as Version;
      return version.size === statSync(this.path).size ? version : undefined;
    } catch {
      // It was being replaced when the process ended.
      return undefined;
    }
  }

  /** Records the version of the complete file, and that it is used now. */
  use(version: Version): void {
    writePrivateFile(this.#about, JSON.stringify({ ...version, size: statSync(this.path).size }));
  }

  /** Forgets the version before the file is replaced: it would be taken for that of the new one. */
  forget(): void {
    rmSync(this.#about, { force: true });
  }

  /** Returns whether another file has the content of the complete one. */
  async holds(other: string): Promise<boolean> {
    if (!existsSync(this.path)) return false;
    const [a, b] = await Promise.all([stat(this.path), stat(other)]);
    return a.size === b.size && (await digestOf(this.path)) === (await digestOf(other));
  }
}

const downloadsFolder = (dataDir: string) => join(dataDir, 'downloads');

/** Removes the files of addresses that were not used for long. */
export function removeOldDownloads(dataDir: string, now: number): void {
  const folder = downloadsFolder(dataDir);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    try {
      const files = readdirSync(path).map((file) => statSync(join(path, file), { throwIfNoEntry: false }));
      const usedAt = Math.max(0, ...files.map((file) => file?.mtimeMs ?? now));
      if (now - usedAt > KEPT_MS) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process removed it meanwhile, or it is not ours.
    }
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
