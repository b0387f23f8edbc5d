// Loads the bundle with V8's code cache: parsing and compiling take most of the start-up time of a short command.
// Requires only modules that Node has already loaded; node:crypto and node:module would take 2 ms each.
const {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { userInfo } = require('node:os');
const { basename, dirname, join, resolve } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

/**
 * Requires a CommonJS file of the bundle and its chunks, each compiled from the cache where it is valid.
 * Code whose cache is missing, stale, damaged or not writable is compiled without it, silently.
 * The name of a cache file identifies what it is valid for (versions of Node and V8, V8's flags and processor, size and
 * time of the code). Files are replaced atomically, so upgrades and concurrent processes never read a wrong or partial one.
 * Cached code is executed: a file or folder that another user owns or may write to is ignored.
 */
exports.loadCached = function loadCached(file) {
  const cacheDir = findCacheDir();
  if (cacheDir === undefined || !isPrivate(cacheDir)) return require(file);
  const loaded = new Map();
  const uncached = [];

  const load = (path) => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const source = readFileSync(path, 'utf8');
    const { size, mtimeMs } = statSync(path);
    // Read for each file: the flags, and with them the tag, may change while the program runs.
    const tag = cachedDataVersionTag();
    const validFor = `${process.version}-${tag}-${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}`;
    const cacheFile = join(cacheDir, `${basename(path)}-${validFor}.v8`);
    const cachedData = readOwnFile(cacheFile);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
      filename: path,
      cachedData,
    });
    if (!cachedData || script.cachedDataRejected) uncached.push({ script, cacheFile, tag });
    const module = { exports: {} };
    loaded.set(path, module);
    // Other modules are built into Node or installed in node_modules.
    const requireChunk = (id) => (id.startsWith('.') ? load(resolve(dirname(path), id)) : require(id));
    requireChunk.resolve = require.resolve;
    script.runInThisContext()(module.exports, requireChunk, module, path, dirname(path));
    return module.exports;
  };

  const exported = load(file);
  // At exit, so that the cache includes the functions that were used.
  process.once('exit', () => {
    if (uncached.length > 0) deleteOldFiles(cacheDir);
    uncached.forEach(writeCache);
  });
  return exported;
};

/** Returns undefined without a home folder, as for a uid without an account in a container. An empty HOME is ignored. */
function findCacheDir() {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME, USERPROFILE } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'svc');
  if (process.platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'svc', 'cache');
  try {
    return join(HOME || USERPROFILE || userInfo().homedir, '.cache', 'svc');
  } catch {
    return undefined;
  }
}

/** Returns whether only the current user can write a file; always true where files have no owner (Windows). */
function isOurs({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

/** Returns whether only the current user can write to a folder; true for a missing folder. */
function isPrivate(dir) {
  try {
    return isOurs(statSync(dir));
  } catch (error) {
    return error.code === 'ENOENT';
  }
}

function readOwnFile(path) {
  let file;
  try {
    // Neither follows a link nor waits for a FIFO.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    return stat.isFile() && isOurs(stat) ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function writeCache({ script, cacheFile, tag }) {
  // The flags have changed since the file was named, so V8 would reject its content.
  if (cachedDataVersionTag() !== tag) return;
  const temporary = `${cacheFile}.${process.pid}-${process.hrtime.bigint().toString(36)}`;
  try {
    makeDir(dirname(dirname(cacheFile)));
    makeDir(dirname(cacheFile));
    // Flushed before the rename: V8 does not detect damage in the middle of a cache.
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, cacheFile);
  } catch {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // The folder is not writable, so there is nothing to remove.
    }
  }
}

/** Creates one level only: a missing home folder is not created, and `recursive` never ends below /proc. */
function makeDir(path) {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}

/** A cache file, or one that a killed process did not complete. */
const OURS = /\.cjs-v[\w.-]+\.v8(\.[\w-]+)?$/;

/**
 * Deletes cache files older than two months, which earlier versions left; files in use are written again. Others are
 * kept: XDG_CACHE_HOME may be the folder of the data.
 */
function deleteOldFiles(cacheDir) {
  try {
    for (const name of readdirSync(cacheDir)) {
      if (!OURS.test(name)) continue;
      const path = join(cacheDir, name);
      if (Date.now() - statSync(path).mtimeMs > 60 * 24 * 3600_000) rmSync(path, { force: true });
    }
  } catch {
    // There is no cache yet, or it is not accessible.
  }
}
