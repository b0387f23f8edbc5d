import { describeFileProblem } from '../../kit/file-trouble.ts';
import { settingsText } from '../../kit/pipe.ts';
import type { Log } from '../log.ts';
import { settings } from '../store/repositories/settings.ts';
import type { Store } from '../store/store.ts';
import { type Catalog, toCatalog } from './catalog.ts';
import { DEFAULT_CATALOG } from './default.ts';
import { CatalogError, parseCatalog } from './parse.ts';
import { markOf, watchSince } from './watch.ts';

const SETTING = 'catalogue';

/**
 * Keeps the store's catalogue at hand: the default one until `file` is given, which is stored so that every process
 * on the store acts alike. A changed file is taken up within a second; one that has become unusable is logged with
 * its faults and the catalogue in force stays. Rejects with CatalogError at the start only.
 */
export async function followCatalog(
  store: Store,
  file: string | undefined,
  log: Log,
): Promise<{ catalogue: () => Catalog; stop: () => void }> {
  let stored: string | undefined;
  let current = toCatalog(DEFAULT_CATALOG);

  const take = (text: string | undefined) => {
    if (text === undefined || text === stored) return;
    current = parseCatalog(text);
    stored = text;
  };
  const publish = async (path: string) => {
    const text = readText(path);
    parseCatalog(text);
    await store.write(async (tx) => {
      if ((await settings.get<string>(tx, SETTING)) !== text) await settings.set(tx, SETTING, text);
    });
    take(text);
  };
  const failed = (error: unknown) =>
    log('error', 'the catalogue was not taken; the one in force stays', {
      reason: error instanceof Error ? error.message : String(error),
    });

  const mark = file === undefined ? null : markOf(file);
  if (file === undefined) take(await store.read((tx) => settings.get<string>(tx, SETTING)));
  else await publish(file);

  const unsubscribe = store.subscribe('settings', () => {
    store
      .read((tx) => settings.get<string>(tx, SETTING))
      .then(take)
      .catch(failed);
  });
  const reload = (path: string) =>
    void publish(path).then(() => log('info', 'the catalogue was reloaded', { file: path }), failed);
  const unwatch = file === undefined ? undefined : watchSince(file, mark, () => reload(file));
  return {
    catalogue: () => current,
    stop: () => {
      unsubscribe();
      unwatch?.();
    },
  };
}

function readText(path: string): string {
  try {
    return settingsText(path);
  } catch (error) {
    throw new CatalogError([
      { path: 'the file', message: `could not be read: ${describeFileProblem(path, error).message}` },
    ]);
  }
}
