import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';

/** Versions that are compared: each is read whole. */
const LOOKED = 10;

/** The versions of the catalog that changed a content, of the latest. They are read once it is opened. */
export function ContentVersions({ id }: { id: string }): VNode {
  const [open, setOpen] = useState(false);
  const { value, error, reload } = useResource(open ? `versions ${id}` : undefined, (signal) =>
    changesOf(id, signal),
  );
  return (
    <details class="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Versions that changed it</summary>
      {open && !value && (error ? <Failure error={error} retry={reload} /> : <Loading what="the versions" />)}
      {value?.length === 0 && <p class="note">None of the latest {LOOKED} versions changed it.</p>}
      {value && value.length > 0 && (
        <ul class="reasons" aria-label="Versions that changed it">
          {value.map(({ version, createdAt, note }) => (
            <li>
              <a href={`/catalog/versions/${version}`}>Version {version}</a> <Time at={createdAt} />{' '}
              <span class="note">
                <Text of={note ?? ''} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** The version of the catalog that paused a content, and when. Nothing while that is read or cannot be. */
export function PausedSince({ id }: { id: string }): VNode | null {
  const { value } = useResource(`paused ${id}`, (signal) => pauseOf(id, signal));
  if (!value) return null;
  const { version, createdAt, exact } = value;
  return (
    <>
      {' '}
      since {!exact && 'at least '}
      <Time at={createdAt} />, <a href={`/catalog/versions/${version}`}>version {version}</a>
    </>
  );
}

/** The first of the latest versions in a row that have a content paused; not `exact` if earlier ones may have, too. */
async function pauseOf(id: string, signal: AbortSignal) {
  const { versions } = await call('listCatalogVersions', { signal });
  const latest = versions.slice(0, LOOKED);
  let since: (typeof latest)[number] | undefined;
  for (const each of latest) {
    const entry = await entryOf(id, each.version);
    if (!entry?.paused) return since && { ...since, exact: true };
    since = each;
  }
  return since && { ...since, exact: versions.length <= LOOKED };
}

/** Entries that were read: a version does not change. */
const read = new Map<string, ReturnType<typeof readEntry>>();

/** The entry of a content in a version of the catalog, which is read once. */
function entryOf(id: string, version: number): ReturnType<typeof readEntry> {
  const key = `${version} ${id}`;
  const entry = read.get(key) ?? readEntry(id, version);
  read.set(key, entry);
  entry.catch(() => read.delete(key));
  return entry;
}

async function readEntry(id: string, version: number) {
  const { catalog } = await call('getCatalogVersion', { params: { version: String(version) } });
  const { contents = [] } = catalog as { contents?: readonly { contentId?: unknown; paused?: unknown }[] };
  return contents.find(({ contentId }) => contentId === id);
}

async function changesOf(id: string, signal: AbortSignal) {
  const { versions } = await call('listCatalogVersions', { signal });
  const latest = versions.slice(0, LOOKED);
  const entries = await Promise.all(
    // Each is compared with the one before it.
    [...latest.map(({ version }) => version), ...latest.slice(-1).map(({ version }) => version - 1)].map(
      async (version) => JSON.stringify(await entryOf(id, version)),
    ),
  );
  return latest.filter((_, i) => entries[i] !== entries[i + 1]);
}
