// Loads the bundle with V8's code cache: parsing and compiling are most of the start-up time of a short command.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';

/**
 * Requires a CommonJS file of the bundle and, through it, its chunks, each compiled from the cache where that fits.
 * The cache is only ever a help: what is missing, stale, of another Node or not writable is compiled as usual.
 * A cache file is named after Node's version and the code's size and time, and replaced as a whole, so an upgrade or
 * two processes at once never meet a wrong or half-written one.
 */
export function loadCached(file) {
  const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc');
  const loaded = new Map();
  const fresh = [];

  const load = (path) => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const native = createRequire(path);
    const source = readFileSync(path, 'utf8');
    const { size, mtimeMs } = statSync(path);
    const key = `${basename(path)}-${process.version}-${process.arch}-${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}.v8`;
    const cacheFile = join(cacheDir, key);
    const cachedData = readOrNothing(cacheFile);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
      filename: path,
      cachedData,
    });
    if (!cachedData || script.cachedDataRejected) fresh.push({ script, cacheFile });
    const module = { exports: {} };
    loaded.set(path, module);
    const require = (id) => (id.startsWith('.') ? load(resolve(dirname(path), id)) : native(id));
    require.resolve = native.resolve;
    script.runInThisContext()(module.exports, require, module, path, dirname(path));
    return module.exports;
  };

  const exports = load(file);
  // At the end, so that the cache holds the functions that were really used.
  process.once('exit', () => fresh.forEach(keep));
  return exports;
}

function readOrNothing(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function keep({ script, cacheFile }) {
  const temporary = `${cacheFile}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(cacheFile), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, cacheFile);
  } catch {
    rmSync(temporary, { force: true });
  }
}
