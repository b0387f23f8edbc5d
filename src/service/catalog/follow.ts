import { describeFileProblem } from '../../kit/file-trouble.ts';
import { settingsText } from '../../kit/pipe.ts';
import type { Log } from '../log.ts';
import { settings } from '../store/repositories/settings.ts';
import type { Store } from '../store/store.ts';
import { type Catalog, toCatalog } from './catalog.ts';
import { DEFAULT_CATALOG } from './default.ts';
import { CatalogError, parseCatalog } from './parse.ts';
import { fileVersion, watchSince } from './watch.ts';

const SETTING = 'catalogue';

/**
 * Follows the catalog: that of the store, or the default one. `file` is written to the store, so that all processes on
 * the store use it. A changed file is loaded within a second; if it is invalid, its errors are logged and the current
 * catalog stays. Rejects with CatalogError only for the first load.
 */
export async function followCatalog(
  store: Store,
  file: string | undefined,
  log: Log,
): Promise<{ catalog: () => Catalog; stop: () => void }> {
  let stored: string | undefined;
  let current = toCatalog(DEFAULT_CATALOG);

  const apply = (text: string | undefined) => {
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
    apply(text);
  };
  const logFailure = (error: unknown) =>
    log('error', 'the catalog was not loaded; the current one stays', {
      reason: error instanceof Error ? error.message : String(error),
    });

  const version = file === undefined ? null : fileVersion(file);
  if (file === undefined) apply(await store.read((tx) => settings.get<string>(tx, SETTING)));
  else await publish(file);

  const unsubscribe = store.subscribe('settings', () => {
    store
      .read((tx) => settings.get<string>(tx, SETTING))
      .then(apply)
      .catch(logFailure);
  });
  const reload = (path: string) =>
    void publish(path).then(() => log('info', 'the catalog was reloaded', { file: path }), logFailure);
  const unwatch = file === undefined ? undefined : watchSince(file, version, () => reload(file));
  return {
    catalog: () => current,
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
