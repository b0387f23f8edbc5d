/**
 * Runs the code blocks of README.md in a clean home: `npm run readme [FILE]`. The program must be built.
 *
 * Blocks of `sh` or `bash` run in one bash session, in a fresh copy of the files that git tracks, and must exit with 0. A
 * block of `text` or `json` right after is the expected output (compared by scripts/session.js). A comment before a block
 * changes how it runs:
 *
 *     <!-- run: exit 4 -->                 the expected exit code
 *     <!-- run: background until READY --> runs in the background; continue once it prints READY (a regular expression)
 *     <!-- run: not, because REASON -->    skipped
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { missingLine, startSession } from './session.js';

const root = join(import.meta.dirname, '..');
const file = resolve(process.argv[2] ?? join(root, 'README.md'));
const blocks = readBlocks(readFileSync(file, 'utf8'));
const place = mkdtempSync(join(tmpdir(), 'svc-readme-'));
const session = startSession({ cwd: clean(place), env: environment(place) });
let ran = 0;
let failed = 0;
try {
  for (const block of blocks) {
    const { code, expected = 0, until, not, line, said } = block;
    const name = `${basename(file)}:${line}`;
    if (not) {
      console.log(`- ${name} not run: ${not}`);
      continue;
    }
    ran++;
    const result = await (until ? session.background(code, until) : session.run(code, 300_000)).catch(
      (error) => ({
        output: error.message,
        code: -1,
      }),
    );
    const missing = said === undefined ? undefined : missingLine(said, result.output);
    if (result.code === expected && missing === undefined) {
      console.log(`✓ ${name} ${code.trim().split('\n')[0]}`);
      continue;
    }
    failed++;
    console.log(`✗ ${name}\n${indented(code)}`);
    if (result.code !== expected) console.log(`  exit code ${result.code}, not ${expected}`);
    if (missing !== undefined) console.log(`  missing in the output: ${missing}`);
    console.log(`  output:\n${indented(result.output)}`);
  }
} finally {
  await session.close();
  rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
console.log(`${ran} blocks run, ${failed} failed`);
process.exitCode = failed > 0 || ran === 0 ? 1 : 0;

/** Parses the blocks to run, each with its expected output. */
function readBlocks(text) {
  const found = [];
  const fence = /^(?:<!-- run: (?<how>.*?) -->\n+)?^```(?<kind>\w*)\n(?<code>[\s\S]*?)^```$/gm;
  let end = 0;
  for (const match of text.matchAll(fence)) {
    const { how = '', kind, code } = match.groups;
    const line = text.slice(0, match.index).split('\n').length;
    if (kind === 'sh' || kind === 'bash') {
      found.push({
        code,
        line,
        expected: Number(/^exit (\d+)$/.exec(how)?.[1] ?? 0),
        until: /^background until (.+)$/.exec(how)?.[1],
        not: /^not, because (.+)$/.exec(how)?.[1],
      });
    } else if (
      (kind === 'text' || kind === 'json') &&
      found.length > 0 &&
      text.slice(end, match.index).trim() === ''
    ) {
      found.at(-1).said = code;
    }
    end = match.index + match[0].length;
  }
  return found;
}

function clean(dir) {
  const work = join(dir, 'work');
  mkdirSync(join(dir, 'home'));
  mkdirSync(work);
  for (const name of execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean))
    if (existsSync(join(root, name))) cpSync(join(root, name), join(work, name));
  mkdirSync(join(dir, 'bin'));
  symlinkSync(join(root, 'bin', 'run.js'), join(dir, 'bin', 'svc'));
  return work;
}

function environment(dir) {
  const path = [join(dir, 'bin'), resolve(process.execPath, '..'), process.env.PATH].join(delimiter);
  // Packages may come from the npm cache of the machine: npm checks their integrity.
  const npm_config_cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  return { npm_config_cache, HOME: join(dir, 'home'), PATH: path, NO_COLOR: '1', LANG: 'C.UTF-8' };
}

function indented(text) {
  return text.trimEnd().replaceAll(/^/gm, '    ');
}
