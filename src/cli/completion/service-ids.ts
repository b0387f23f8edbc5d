import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { writePrivateFile } from '../../kit/files/private-file.ts';
import { objectOf } from '../../kit/object-of.ts';
import { within } from '../../kit/time/within.ts';
import { connect } from '../connection/connect.ts';
import { type Paths, pathsOf } from '../connection/paths.ts';
import { resolveSettings } from '../connection/settings.ts';
import type { GlobalFlags } from '../flags/global-flags.ts';
import type { Settings } from '../invocation/settings.ts';
import { Output } from '../terminal/output.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { World } from '../terminal/world.ts';
import type { Candidate } from './candidates.ts';
import type { IdKind } from './id-kinds.ts';

/** How long identifiers are completed from the cache, and how long a request for them may take. */
const FRESH_MS = 30_000;
const WAIT_MS = 1_000;

/** The most identifiers that are kept of a list, and the most lists. */
const MAX_IDS = 1_000;
const MAX_FILES = 32;

/** What can be typed into a shell without quotes. Others are not completed: the shell would run what they hold. */
const SAFE = /^[A-Za-z0-9][\w.-]*$/;

interface Cached {
  /** Unix ms. */
  readonly at: number;
  readonly ids: readonly Candidate[];
}

/**
 * The identifiers of a kind on the service that the flags select, the newest first, from a short cache. Never rejects:
 * a service that fails or takes longer than a second completes from an older cache, or nothing.
 */
export async function serviceIds(
  kind: IdKind,
  flags: GlobalFlags,
  world: World,
  version: string,
): Promise<readonly Candidate[]> {
  try {
    const paths = pathsOf(world);
    const settings = resolveSettings(flags, world);
    // No data yet: completing must not create it.
    if (settings.kind === 'local' && !existsSync(paths.database)) return [];
    const file = cacheFile(paths, settings, kind);
    const cached = readCache(file);
    const now = world.clock.now();
    if (cached && now >= cached.at && now - cached.at < FRESH_MS) return cached.ids;
    const ids = await fetchIds(kind, flags, settings, world, version).catch(() => undefined);
    if (ids) writeCache(file, { at: now, ids });
    return ids ?? cached?.ids ?? [];
  } catch {
    return [];
  }
}

/** Named for the code cache, which removes old files beside it. */
function cacheFile(paths: Paths, settings: Settings, kind: IdKind): string {
  const scope =
    settings.kind === 'local' ? [paths.database] : [settings.baseUrl, settings.workspace, settings.apiKey];
  const name = createHash('sha256')
    .update(JSON.stringify([kind, ...scope]))
    .digest('hex');
  return join(paths.codeCacheDir, `ids-${name.slice(0, 32)}.json`);
}

/** A file that `cacheFile` named. XDG_CACHE_HOME may be the folder of the data. */
const OURS = /^ids-[0-9a-f]{32}\.json(\.[\w.]+)?$/;

function readCache(file: string): Cached | undefined {
  try {
    const { at, ids } = JSON.parse(readFileSync(file, 'utf8')) as Cached;
    return typeof at === 'number' && Array.isArray(ids) ? { at, ids } : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(file: string, cached: Cached): void {
  try {
    writePrivateFile(file, JSON.stringify(cached));
    deleteOldest(dirname(file));
  } catch {
    // The next completion asks the service again.
  }
}

/** Deletes the oldest files of this cache, and those that a killed process did not complete, above MAX_FILES. */
function deleteOldest(folder: string): void {
  const files = readdirSync(folder).filter((name) => OURS.test(name));
  if (files.length <= MAX_FILES) return;
  const dated = files.map((name) => {
    const path = join(folder, name);
    // Another process may have deleted it.
    return { path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  const oldest = dated.sort((a, b) => a.at - b.at).slice(0, -MAX_FILES);
  for (const { path } of oldest) rmSync(path, { force: true });
}

async function fetchIds(
  kind: IdKind,
  flags: GlobalFlags,
  settings: Settings,
  world: World,
  version: string,
): Promise<Candidate[]> {
  const silent: World = Object.create(world, { stderr: { value: { write: () => true, isTTY: false } } });
  const out = new Output(silent, { json: false, quiet: true });
  const connection = await connect({ world: silent, out, flags, settings, version, maxRetries: 0 });
  try {
    const rows = await within(WAIT_MS, undefined, (signal) => LISTS[kind](connection.client, signal));
    return rows
      .slice(0, MAX_IDS)
      .map(objectOf)
      .map((row) => ({
        word: String(row[NAMES[kind]] ?? ''),
        description: sanitizeLine(describe(kind, row)),
      }))
      .filter(({ word }) => SAFE.test(word));
  } finally {
    await connection.close();
  }
}

type List = (client: Client, signal: AbortSignal) => Promise<readonly unknown[]>;

/** The list of an answer. Throws if it is none, which is no reason to forget what was known. */
function arrayOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError('not a list');
}

const LISTS: Readonly<Record<IdKind, List>> = {
  webhooks: async (client, signal) =>
    arrayOf(objectOf((await client.call('listWebhooks', { signal })).body).webhooks),
  deliveries: async (client, signal) =>
    arrayOf(objectOf((await client.call('listAllDeliveries', { signal })).body).deliveries),
  notifications: async (client, signal) =>
    arrayOf(objectOf((await client.call('listNotifications', { signal })).body).notifications),
  decisions: async (client, signal) => {
    const query = { order: 'newest', limit: '100' };
    return arrayOf(objectOf((await client.call('listDecisions', { query, signal })).body).decisions);
  },
  contents: async (client, signal) =>
    arrayOf(objectOf((await client.call('listContents', { signal })).body).items),
};

const NAMES: Readonly<Record<IdKind, string>> = {
  webhooks: 'id',
  deliveries: 'deliveryId',
  notifications: 'notificationId',
  decisions: 'decisionId',
  contents: 'id',
};

/** What tells one from another. */
function describe(kind: IdKind, row: Readonly<Record<string, unknown>>): string {
  const fields = {
    webhooks: [row.status, row.url],
    deliveries: [row.type, row.status],
    notifications: [row.templateId, row.status],
    decisions: [row.contentId, row.at],
    contents: [row.status, row.title],
  }[kind];
  return fields.filter((value) => typeof value === 'string').join(' ');
}
