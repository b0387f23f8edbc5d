import { expect, it } from 'vitest';
import { pathsOf } from '../../../src/cli/connection/paths.ts';

const all = ({ configDir, dataDir, database, codeCacheDir }: ReturnType<typeof pathsOf>) => ({
  configDir,
  dataDir,
  database,
  codeCacheDir,
});

it('files are where each system keeps them: below the home folder, or in LOCALAPPDATA on Windows', () => {
  const env = { HOME: '/home/u', LOCALAPPDATA: '/Users/u/AppData/Local' };
  const unix = {
    configDir: '/home/u/.config/svc',
    dataDir: '/home/u/.local/share/svc',
    database: '/home/u/.local/share/svc/service.db',
    codeCacheDir: '/home/u/.cache/svc',
  };
  expect(all(pathsOf({ env }, 'linux'))).toEqual(unix);
  expect(all(pathsOf({ env }, 'darwin'))).toEqual(unix);
  expect(all(pathsOf({ env }, 'win32'))).toEqual({
    configDir: '/Users/u/AppData/Local/svc',
    dataDir: '/Users/u/AppData/Local/svc',
    database: '/Users/u/AppData/Local/svc/service.db',
    codeCacheDir: '/Users/u/AppData/Local/svc/cache',
  });
});

it('SVC_ and XDG_ variables win on every system', () => {
  const env = { LOCALAPPDATA: '/local', XDG_CACHE_HOME: '/xdg', SVC_CONFIG_DIR: '/c', SVC_DATA_DIR: '/d' };
  for (const platform of ['linux', 'darwin', 'win32'])
    expect(all(pathsOf({ env }, platform))).toEqual({
      configDir: '/c',
      dataDir: '/d',
      database: '/d/service.db',
      codeCacheDir: '/xdg/svc',
    });
});
