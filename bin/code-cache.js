// Loads the bundle with V8's code cache: parsing and compiling are most of the start-up time of a short command.
// Only what Node has loaded by itself is required here; node:crypto and node:module would cost 2 ms each.
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
 * Requires a CommonJS file of the bundle and, through it, its chunks, each compiled from the cache where that fits.
 * The cache is only ever a help: what is missing, stale, damaged or not writable is compiled as usual, in silence.
 * A cache file is named after what it is valid for (Node's version, V8's version, flags and processor, the code's size
 * and time) and replaced as a whole, so an upgrade or two processes at once never meet a wrong or half-written one.
 * What lies in it is code that runs: a file or a folder that anybody else owns or may write to is ignored.
 */
exports.loadCached = function loadCached(file) {
  const cacheDir = findCacheDir();
  if (cacheDir === undefined || !isPrivate(cacheDir)) return require(file);
  const loaded = new Map();
  const fresh = [];

  const load = (path) => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const source = readFileSync(path, 'utf8');
    const { size, mtimeMs } = statSync(path);
    // Asked for each file: the flags, and with them the tag, may change while the program runs.
    const tag = cachedDataVersionTag();
    const validFor = `${process.version}-${tag}-${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}`;
    const cacheFile = join(cacheDir, `${basename(path)}-${validFor}.v8`);
    const cachedData = readOrNothing(cacheFile);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
      filename: path,
      cachedData,
    });
    if (!cachedData || script.cachedDataRejected) fresh.push({ script, cacheFile, tag });
    const module = { exports: {} };
    loaded.set(path, module);
    // What is not a chunk is of Node, or lies in this package's node_modules.
    const requireChunk = (id) => (id.startsWith('.') ? load(resolve(dirname(path), id)) : require(id));
    requireChunk.resolve = require.resolve;
    script.runInThisContext()(module.exports, requireChunk, module, path, dirname(path));
    return module.exports;
  };

  const exported = load(file);
  // At the end, so that the cache holds the functions that were really used.
  process.once('exit', () => {
    if (fresh.length > 0) forgetOld(cacheDir);
    fresh.forEach(keep);
  });
  return exported;
};

/** Undefined where there is no home: a uid without an account, as in a container. An empty HOME is none either. */
function findCacheDir() {
  const { XDG_CACHE_HOME, HOME, USERPROFILE } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'svc');
  try {
    return join(HOME || USERPROFILE || userInfo().homedir, '.cache', 'svc');
  } catch {
    return undefined;
  }
}

/** True where only the user that runs this can have written it; always where files have no owners (Windows). */
function isOurs({ uid, mode }) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

/** False for a folder in which others may have put something; true also where there is none yet. */
function isPrivate(dir) {
  try {
    return isOurs(statSync(dir));
  } catch (error) {
    return error.code === 'ENOENT';
  }
}

function readOrNothing(path) {
  let file;
  try {
    // Not a link, and not a FIFO that would be waited for.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    return stat.isFile() && isOurs(stat) ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function keep({ script, cacheFile, tag }) {
  // Made under other flags than it is named after, it would be rejected each time.
  if (cachedDataVersionTag() !== tag) return;
  const temporary = `${cacheFile}.${process.pid}-${process.hrtime.bigint().toString(36)}`;
  try {
    makeDir(dirname(dirname(cacheFile)));
    makeDir(dirname(cacheFile));
    // On the disk before it gets its name: V8 does not notice damage in the middle of its cache.
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, cacheFile);
  } catch {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // A home that cannot be written to: nothing was left there.
    }
  }
}

/** One level at a time: a home that is not there is not made, and `recursive` never ends below /proc. */
function makeDir(path) {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}

/** What earlier versions left goes after two months; what is in use is made again then. */
function forgetOld(cacheDir) {
  try {
    for (const name of readdirSync(cacheDir)) {
      const path = join(cacheDir, name);
      if (Date.now() - statSync(path).mtimeMs > 60 * 24 * 3600_000) rmSync(path, { force: true });
    }
  } catch {
    // No cache yet, or one that is not ours to tidy.
  }
}
