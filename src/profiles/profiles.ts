import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../kit/files/file-lock.ts';
import { ForeignFile, isLink } from '../kit/files/own-file.ts';
import { type Contents, damagedPath, type LocalWebhook, type Profile } from './contents.ts';

export type { LocalWebhook, Profile };

/** The built-in profile: the service runs inside the process. */
export const LOCAL = 'local';

/** The profiles file is unreadable or invalid. Nothing was changed. */
export class ProfilesUnusable extends Error {
  readonly file: string;
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file} ${why}`, { cause });
    this.name = 'ProfilesUnusable';
    this.file = file;
  }
}

/**
 * Stores profiles and their secrets in one file (mode 0600), which is validated when read.
 * Each change reads and writes the file under a lock, so that processes do not overwrite each other's changes.
 */
export class Profiles {
  readonly file: string;
  readonly #dir: string;

  constructor(configDir: string) {
    this.#dir = configDir;
    this.file = join(configDir, 'profiles.json');
  }

  /** Reads the file without conf, which takes longer to load than most commands take to run. */
  read(): Contents {
    return this.#checked(() => JSON.parse(readFileSync(this.file, 'utf8')));
  }

  /** Applies `edit` to the contents, which conf reads and writes. If it throws, nothing is written. */
  async change(edit: (contents: Contents) => void): Promise<void> {
    const { default: Conf } = await import('conf');
    await withFileLock(join(this.#dir, 'profiles.lock'), () => {
      // Secrets must not be written to wherever a link leads.
      if (isLink(this.file)) throw new ForeignFile(this.file, 'a symbolic link');
      const open = () =>
        new Conf<Record<string, unknown>>({
          cwd: this.#dir,
          configName: 'profiles',
          configFileMode: 0o600,
          projectName: 'svc',
        });
      const contents = this.#checked(() => open().store);
      edit(contents);
      open().store = { ...contents };
    });
  }

  #checked(load: () => unknown): Contents {
    let contents: unknown;
    try {
      contents = load();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
      // The parser's message quotes the file, which contains secrets.
      const why = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message;
      throw new ProfilesUnusable(this.file, `cannot be read: ${why}`, error);
    }
    const damaged = damagedPath(contents);
    if (damaged !== undefined)
      throw new ProfilesUnusable(this.file, `is damaged at ${damaged || 'the top level'}`);
    return { profiles: {}, ...(contents as Partial<Contents>) };
  }
}

/** Shortens a secret so that it can be recognized but not used. */
export function mask(secret: string): string {
  return secret.length > 16 ? `${secret.slice(0, 8)}…${secret.slice(-4)}` : '****';
}

/** Returns a profile for display, with its key masked. */
export function profileView(name: string, profile: Profile) {
  return {
    name,
    workspace: profile.workspace,
    region: profile.region ?? null,
    baseUrl: profile.baseUrl,
    apiKey: profile.apiKey === undefined ? null : mask(profile.apiKey),
    sandbox: profile.sandbox ?? false,
    keysHonoured: profile.keysHonoured ?? false,
    acceptAnyAnswer: profile.acceptAnyAnswer ?? false,
    eventIds: profile.eventIds ?? false,
  };
}
