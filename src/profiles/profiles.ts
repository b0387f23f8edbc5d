import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { withFileLock } from '../kit/file-lock.ts';

/** The profile that always exists: the whole service inside the process. */
export const LOCAL = 'local';

const LocalWebhook = z.object({
  url: z.string(),
  events: z.array(z.string()),
  signingSecret: z.string(),
  createdAt: z.string(),
});
/** A subscription this machine created, with its secret. */
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
  /** By `base URL workspace`, then subscription id: also for connections that no profile names. */
  webhooks: z.optional(z.record(z.string(), z.record(z.string(), LocalWebhook))),
});
type Contents = z.infer<typeof Contents>;

/** The settings file cannot be used as it is. Nothing was changed. */
export class ProfilesUnusable extends Error {
  readonly file: string;
  constructor(file: string, why: string, cause?: unknown) {
    super(`${file} ${why}`, { cause });
    this.name = 'ProfilesUnusable';
    this.file = file;
  }
}

/**
 * Profiles and the secrets that belong to them: one file, 0600, checked when read.
 * Every change is made under a lock on the file as it is at that moment, so processes do not undo each other's.
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
      // What the parser says quotes the file, which holds secrets.
      const why = error instanceof SyntaxError ? 'it is not valid JSON' : (error as Error).message;
      throw new ProfilesUnusable(this.file, `cannot be read: ${why}`, error);
    }
    const result = Contents.safeParse(contents);
    if (!result.success) {
      const issue = result.error.issues[0];
      throw new ProfilesUnusable(this.file, `is damaged at ${issue?.path.join('.') || 'its top'}`);
    }
    return result.data;
  }

  /** Changes the contents by `edit`, which may throw to leave them as they are. */
  async change(edit: (contents: Contents) => void): Promise<void> {
    // Only what writes needs conf, which takes longer to load than most commands take to run.
    const { default: Conf } = await import('conf');
    await withFileLock(join(this.#dir, 'profiles.lock'), () => {
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

/** `sk_test_…` shortened so that it can be recognised but not used. */
export function mask(secret: string): string {
  return secret.length > 16 ? `${secret.slice(0, 8)}…${secret.slice(-4)}` : '****';
}

/** A profile as it may be shown: its key masked. */
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
