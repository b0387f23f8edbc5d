import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { withFileLock } from '../kit/file-lock.ts';
import { ForeignFile, isLink } from '../kit/own-file.ts';

/** The built-in profile: the service runs inside the process. */
export const LOCAL = 'local';

const LocalWebhook = z.object({
  url: z.string(),
  events: z.array(z.string()),
  signingSecret: z.string(),
  createdAt: z.string(),
});
/** A webhook subscription created on this machine, with its secret. */
export type LocalWebhook = z.infer<typeof LocalWebhook>;

const Profile = z.object({
  workspace: z.string(),
  region: z.optional(z.string()),
  baseUrl: z.string(),
  apiKey: z.optional(z.string()),
  sandbox: z.optional(z.boolean()),
  /** Set by `--idempotent`; the name is that of the first versions, which must be able to read the file. */
  keysHonoured: z.optional(z.boolean()),
});
export type Profile = z.infer<typeof Profile>;

const Contents = z.object({
  current: z.optional(z.string()),
  profiles: z.record(z.string(), Profile),
  /** By `webhookKey`, then subscription ID. Includes connections without a profile. */
  webhooks: z.optional(z.record(z.string(), z.record(z.string(), LocalWebhook))),
});
type Contents = z.infer<typeof Contents>;

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

  read(): Contents {
    let contents: unknown;
    try {
      contents = JSON.parse(readFileSync(this.file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
      // The parser's message quotes the file, which contains secrets.
      const why = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message;
      throw new ProfilesUnusable(this.file, `cannot be read: ${why}`, error);
    }
    const result = Contents.safeParse(contents);
    if (!result.success) {
      const issue = result.error.issues[0];
      throw new ProfilesUnusable(this.file, `is damaged at ${issue?.path.join('.') || 'the top level'}`);
    }
    return result.data;
  }

  /** Applies `edit` to the contents. If it throws, nothing is written. */
  async change(edit: (contents: Contents) => void): Promise<void> {
    // Loaded only for writing: conf takes longer to load than most commands take to run.
    const { default: Conf } = await import('conf');
    await withFileLock(join(this.#dir, 'profiles.lock'), () => {
      // Secrets must not be written to wherever a link leads.
      if (isLink(this.file)) throw new ForeignFile(this.file, 'a symbolic link');
      const contents = this.read();
      edit(contents);
      new Conf<Record<string, unknown>>({
        cwd: this.#dir,
        configName: 'profiles',
        configFileMode: 0o600,
        projectName: 'svc',
      }).store = contents;
    });
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
  };
}
