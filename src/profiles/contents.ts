/** A webhook subscription created on this machine, with its secret. */
export interface LocalWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly signingSecret: string;
  readonly createdAt: string;
}

export interface Profile {
  workspace: string;
  region?: string | undefined;
  baseUrl: string;
  apiKey?: string | undefined;
  sandbox?: boolean | undefined;
  /** Set by `--idempotent`; the name is that of the first versions, which must be able to read the file. */
  keysHonoured?: boolean | undefined;
  /** Set by `--accept-any-answer`: any 2xx acknowledges the records that were sent. */
  acceptAnyAnswer?: boolean | undefined;
  /** Set by `--event-ids`: the service takes `eventId`. */
  eventIds?: boolean | undefined;
}

/** The contents of the profiles file. */
export interface Contents {
  current?: string | undefined;
  profiles: Record<string, Profile>;
  /** By `webhookKey`, then subscription ID. Includes connections without a profile. */
  webhooks?: Record<string, Record<string, LocalWebhook>> | undefined;
}

/** Returns the path of the first value that is wrong, or undefined. */
type Check = (value: unknown, path: string) => string | undefined;

const string: Check = (value, path) => (typeof value === 'string' ? undefined : path);
const boolean: Check = (value, path) => (typeof value === 'boolean' ? undefined : path);
const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? undefined : check(value, path);
const strings: Check = (value, path) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? undefined : path;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

const record =
  (check: Check): Check =>
  (value, path) => {
    if (!isObject(value)) return path;
    for (const [name, item] of Object.entries(value)) {
      const wrong = check(item, below(path, name));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (!isObject(value)) return path;
    for (const [name, check] of Object.entries(fields)) {
      const wrong = check(value[name], below(path, name));
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

const contents = object({
  current: optional(string),
  profiles: optional(
    record(
      object({
        workspace: string,
        region: optional(string),
        baseUrl: string,
        apiKey: optional(string),
        sandbox: optional(boolean),
        keysHonoured: optional(boolean),
        acceptAnyAnswer: optional(boolean),
        eventIds: optional(boolean),
      }),
    ),
  ),
  webhooks: optional(
    record(record(object({ url: string, events: strings, signingSecret: string, createdAt: string }))),
  ),
});

/**
 * Returns the path of the first damaged value in the contents of a profiles file, '' for the contents themselves, or
 * undefined if all are valid. By hand: every command that connects reads profiles, and a schema library takes 15 ms to load.
 */
export function damagedPath(value: unknown): string | undefined {
  return contents(value, '');
}
