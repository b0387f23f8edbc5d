import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const LOADER = join(ROOT, 'bin', 'code-cache.js');
const run = promisify(execFile);

/** A program of two files, and a home for its cache. */
function program(answer: string) {
  const dir = tempDir();
  const home = tempDir();
  const main = join(dir, 'main.cjs');
  writeFileSync(main, "exports.say = () => require('./part.cjs').answer() + require('node:path').sep;");
  write(answer);

  function write(text: string): void {
    writeFileSync(join(dir, 'part.cjs'), `exports.answer = () => ${JSON.stringify(text)};`);
  }
  async function start(env: Record<string, string> = {}, prepare = '', ...flags: string[]): Promise<string> {
    const script = `${prepare};process.stdout.write(require(${JSON.stringify(LOADER)}).loadCached(${JSON.stringify(main)}).say())`;
    const { stdout, stderr } = await run(process.execPath, [...flags, '-e', script], {
      env: { PATH: process.env.PATH, HOME: home, ...env },
    });
    expect(stderr).toBe('');
    return stdout;
  }
  const cache = join(home, '.cache', 'svc');
  /** What is in the cache, and which bytes on the disk: a file that was replaced is another one. */
  const cached = () => readdirSync(cache).map((name) => ({ name, inode: statSync(join(cache, name)).ino }));
  return { dir, home, cache, write, start, cached };
}

describe('the code cache', () => {
  it('is written by the first start and used unchanged by the second', async () => {
    const { start, cached } = program('one');
    expect(await start()).toBe('one/');
    const made = cached();
    expect(made.map(({ name }) => name.split('-')[0])).toEqual(['main.cjs', 'part.cjs']);
    expect(await start()).toBe('one/');
    expect(cached()).toEqual(made);
  });

  it('never runs old code after an upgrade', async () => {
    const { start, write } = program('old');
    await start();
    write('new');
    expect(await start()).toBe('new/');
    write('newer, longer');
    expect(await start()).toBe('newer, longer/');
  });

  it('deletes files of earlier versions after two months', async () => {
    const { start, write, cache, cached } = program('old');
    await start();
    const old = cached();
    const longAgo = Date.now() / 1000 - 61 * 24 * 3600;
    for (const { name } of old) utimesSync(join(cache, name), longAgo, longAgo);
    write('new');
    await start();
    expect(cached().map(({ name }) => name)).not.toContain(old[1]!.name);
  });

  it('deletes no file of others, which may be in the same folder', async () => {
    const { start, write, cache } = program('old');
    await start();
    const longAgo = Date.now() / 1000 - 61 * 24 * 3600;
    for (const name of ['service.db', 'profiles.json']) {
      writeFileSync(join(cache, name), 'precious');
      utimesSync(join(cache, name), longAgo, longAgo);
    }
    write('new');
    await start();
    expect(readdirSync(cache)).toEqual(expect.arrayContaining(['service.db', 'profiles.json']));
  });

  it('survives a cache that is damaged, truncated, empty or of another V8 or file, and replaces it', async () => {
    const { start, cached, cache } = program('one');
    await start();
    const names = cached().map(({ name }) => name);
    const [main, part] = names as [string, string];
    const whole = readFileSync(join(cache, part));
    // Bytes 4 to 7 of V8's cache are the hash of its version, 8 to 11 that of the source.
    const changed = [4, 8].map((at) => Buffer.from(whole).fill(whole[at]! ^ 0xff, at, at + 1));
    const other = readFileSync(join(cache, main));
    for (const damage of [
      '',
      'not a cache',
      other.subarray(0, 40),
      whole.subarray(0, -8),
      other,
      ...changed,
    ]) {
      writeFileSync(join(cache, part), damage);
      expect(await start()).toBe('one/');
      expect(readFileSync(join(cache, part))).not.toEqual(Buffer.from(damage));
      expect(readFileSync(join(cache, part)).length).toBeGreaterThan(40);
    }
    const before = cached();
    expect(await start()).toBe('one/');
    expect(cached()).toEqual(before);
  });

  it('separates code compiled by another Node or under other flags', async () => {
    const { start, cached } = program('one');
    await start();
    const own = cached();
    await start({}, "Object.defineProperty(process, 'version', { value: 'v99.0.0' })");
    await start({}, '', '--no-opt');
    expect(cached().map(({ name }) => name)).toHaveLength(6);
    expect(cached()).toEqual(expect.arrayContaining(own));
  });

  it('writes nothing if the flags have changed since the start', async () => {
    const { start, cached } = program('one');
    const flag = "require('node:v8').setFlagsFromString('--liftoff-only')";
    expect(await start({}, `process.nextTick(() => ${flag})`)).toBe('one/');
    expect(() => cached()).toThrow(/ENOENT/);
  });

  it.each(['/dev/null', '/proc/1', '/nowhere/at/all'])(
    'runs with a home it cannot write to: %s',
    async (HOME) => {
      const { start, dir } = program('one');
      expect(await start({ HOME, USERPROFILE: HOME })).toBe('one/');
      // Nor does it write into the installation.
      expect(readdirSync(dir).sort()).toEqual(['main.cjs', 'part.cjs']);
      expect(existsSync('/nowhere')).toBe(false);
    },
  );

  it('is complete after many concurrent starts', async () => {
    const { start, cached } = program('one');
    expect(await Promise.all(Array.from({ length: 8 }, () => start()))).toEqual(Array(8).fill('one/'));
    const made = cached();
    expect(made).toHaveLength(2);
    expect(await start()).toBe('one/');
    expect(cached()).toEqual(made);
  });

  describe('that another user may have written', () => {
    const NOBODY = 65534;
    /** A program that says `one`, with a cache that makes it say `two`: V8 compares the length of a source alone. */
    async function tampered() {
      const made = program('two');
      const part = join(made.dir, 'part.cjs');
      const at = 1_764_000_000;
      utimesSync(part, at, at);
      await made.start();
      made.write('one');
      utimesSync(part, at, at);
      const name = made.cached().find((one) => one.name.startsWith('part'))!.name;
      return { ...made, file: join(made.cache, name) };
    }
    const mine = process.geteuid?.() === 0;

    it('would be executed without the check', async () => {
      const { start } = await tampered();
      expect(await start()).toBe('two/');
    });

    it.each<[string, (file: string, cache: string) => void]>([
      ['a file that a group may write to', (file) => chmodSync(file, 0o620)],
      ['a file that everybody may write to', (file) => chmodSync(file, 0o602)],
      ['a folder that a group may write to', (_, cache) => chmodSync(cache, 0o770)],
      ['a folder that everybody may write to', (_, cache) => chmodSync(cache, 0o1777)],
      [
        'a link to a file',
        (file) => {
          renameSync(file, `${file}.real`);
          symlinkSync(`${file}.real`, file);
        },
      ],
      // Only root can give a file away; anybody else meets the modes above.
      ...(mine
        ? ([
            ['a file of another user', (file) => chownSync(file, NOBODY, NOBODY)],
            ['a folder of another user', (_, cache) => chownSync(cache, NOBODY, NOBODY)],
            [
              'a link to a folder of another user',
              (_, cache) => {
                renameSync(cache, `${cache}.real`);
                chownSync(`${cache}.real`, NOBODY, NOBODY);
                symlinkSync(`${cache}.real`, cache);
              },
            ],
          ] satisfies Array<[string, (file: string, cache: string) => void]>)
        : []),
    ])('is ignored: %s', async (_, change) => {
      const { start, file, cache } = await tampered();
      change(file, cache);
      expect(await start()).toBe('one/');
    });

    it('does not block on a FIFO in place of a file', async () => {
      const { start, file } = await tampered();
      rmSync(file);
      await run('mkfifo', [file]);
      expect(await start()).toBe('one/');
    });
  });
});
