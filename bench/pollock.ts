// cspell:ignore quotechar
/**
 * Reads the files of Pollock (VLDB 2023, https://github.com/HPI-Information-Systems/Pollock) as `svc events import` would,
 * and scores what was read as its `pollock/metrics.py` does, but that cells are equal only to the byte. FOLDER holds
 * `polluted_files` or `survey_sample`, with `csv`, `clean` and `parameters` inside, and for the former
 * `pollock_weights.json` beside it.
 * `npm run bench -- bench/pollock.ts FOLDER/polluted_files [--configured] [OUT]`: with --configured, the flags are those of
 * the benchmark's parameters and those that error messages print, else those of these and of `svc events inspect`. OUT gets a
 * line per file.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Sample } from '../src/features/import/formats/sample.ts';
import type { Flag } from '../src/features/import/guess/flag.ts';
import { requireColumns } from '../src/features/import/guess/require-columns.ts';
import { InputError } from '../src/features/import/input/input-error.ts';
import type { MappingFlags } from '../src/features/import/option-table/flags.ts';
import { withFlags } from '../src/features/import/option-table/suggested-flags.ts';
import { mappingOf, readingOf } from '../src/features/import/option-table/table.ts';
import { examine } from '../src/features/import/run/examine.ts';
import { Inputs } from '../src/features/import/run/inputs.ts';
import { systemClock } from '../src/kit/clock.ts';

const [folder = '', ...more] = process.argv.slice(2);
const configured = more.includes('--configured');
const out = more.find((word) => !word.startsWith('--'));
if (!existsSync(join(folder, 'clean'))) {
  console.error('usage: npm run bench -- bench/pollock.ts FOLDER [--configured] [OUT]');
  process.exit(2);
}

/** How often the flags of an error message are taken. */
const MAX_STEPS = 3;
const CONSTANTS = ['userId=u', 'event=e', 'timestamp=2026-01-31T12:00:00Z'];
const READING: ReadonlySet<string> = new Set(['columns', 'encoding', 'delimiter', 'quote']);
const stop = new AbortController().signal;
const noFlags: MappingFlags = { 'convert-timestamps': false, 'decimal-comma': false, 'no-validate': false };
const work = mkdtempSync(join(tmpdir(), 'svc-pollock-'));

interface Loaded {
  readonly header: readonly string[] | undefined;
  readonly rows: readonly (readonly string[])[];
  readonly rejected: number;
  /** A notice names the cells of white space at the ends of rows, or the doubled quotes, that are not as in the clean file. */
  readonly noticed: { readonly ends: boolean; readonly quotes: boolean };
  readonly flags: string;
  readonly error?: string;
}

function openWith(
  path: string,
  flags: MappingFlags,
  onSampleNotice?: (text: string) => void,
): Promise<Inputs> {
  return Inputs.open({
    names: [path],
    cwd: work,
    stdin: process.stdin,
    reading: readingOf(flags),
    mapping: mappingOf('events', flags, undefined),
    shard: undefined,
    stop,
    onNotice: () => undefined,
    ...(onSampleNotice && { onSampleNotice }),
  });
}

function parametersOf(name: string) {
  return JSON.parse(readFileSync(join(folder, 'parameters', `${name}_parameters.json`), 'utf8'));
}

/** The flags of the benchmark's parameters. */
function givenFlags(name: string): Flag[] {
  const { delimiter, quotechar, encoding, column_names, n_columns, header_lines } = parametersOf(name);
  const flags: Flag[] = [];
  if (delimiter !== '' && delimiter !== ',') flags.push(['delimiter', delimiter]);
  if (quotechar === "'") flags.push(['quote', quotechar]);
  if (!/^(ascii|utf-8)$/i.test(encoding))
    flags.push(['encoding', encoding === 'CP949' ? 'euc-kr' : encoding]);
  const names = column_names.length > 0 ? column_names : Array.from({ length: n_columns }, (_, i) => `c${i}`);
  if (Number(header_lines) === 0 && n_columns > 0) flags.push(['columns', names.join(',')]);
  return flags;
}

/** The flags that `svc events inspect` prints about how the file is written. */
async function proposedFlags(path: string, flags: MappingFlags): Promise<Flag[]> {
  const { findings } = await examine({
    names: [path],
    cwd: work,
    flags,
    open: (used) => openWith(path, used),
    world: { clock: systemClock, stop },
  });
  return findings.suggestion.flags.filter(([name]) => READING.has(name));
}

async function load(path: string, name: string): Promise<Loaded> {
  let flags = withFlags(noFlags, [
    ...CONSTANTS.map((pair): Flag => ['set', pair]),
    ...(configured ? givenFlags(name) : []),
  ]);
  const typed = () =>
    [...READING]
      .flatMap((flag) => (flags[flag as 'columns'] ? [`--${flag} ${flags[flag as 'columns']}`] : []))
      .join(' ');
  let error = '';
  for (let step = 0; step < MAX_STEPS; step++) {
    try {
      if (!configured) flags = withFlags(flags, await proposedFlags(path, flags).catch(unlessFlags));
      const noticed = { ends: false, quotes: false };
      const inputs = await openWith(path, flags, (text) => {
        noticed.ends ||= text.includes('ends in a cell of white space');
        noticed.quotes ||= text.includes('has "" among cells in single quotes');
      });
      try {
        const limits = { records: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
        const sample = await inputs.sample(0, limits, { wait: 1000, clock: systemClock, signal: stop });
        requireColumns(sample, mappingOf('events', flags, undefined), flags.columns !== undefined);
        const unnamed = flags.columns !== undefined && parametersOf(name).column_names.length === 0;
        return { ...loadedFrom(sample, unnamed), noticed, flags: typed() };
      } finally {
        await inputs.close();
      }
    } catch (thrown) {
      if (!(thrown instanceof InputError)) throw thrown;
      error = thrown.message;
      const next = flagsOf(thrown.flags?.more ?? []);
      if (next.length === 0) break;
      flags = withFlags(flags, next);
    }
  }
  const noticed = { ends: false, quotes: false };
  return { header: undefined, rows: [], rejected: 0, noticed, flags: typed(), error };
}

/** What cannot be described may still be imported, such as a file without rows. */
function unlessFlags(error: unknown): Flag[] {
  if (error instanceof InputError && flagsOf(error.flags?.more ?? []).length === 0) return [];
  throw error;
}

function flagsOf(words: readonly string[]): Flag[] {
  return words.flatMap((word, i): Flag[] =>
    word.startsWith('--') && READING.has(word.slice(2)) && !/^[A-Z_]+$/.test(words[i + 1] ?? '')
      ? [[word.slice(2), words[i + 1]!]]
      : [],
  );
}

/**
 * The rows that have as many cells as the header: an import rejects the others. A table without a header gets the names
 * of its columns where the benchmark's clean file has some.
 */
function loadedFrom(
  { first, header, rows, records }: Sample,
  unnamed: boolean,
): Omit<Loaded, 'flags' | 'noticed'> {
  const width = header?.length ?? 0;
  const kept = rows.filter(({ length }) => length === width);
  return { header: unnamed ? undefined : first, rows: kept, rejected: records - kept.length };
}

function shared(wanted: readonly string[], found: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of wanted) counts.set(one, (counts.get(one) ?? 0) + 1);
  let both = 0;
  for (const one of found) {
    const left = counts.get(one) ?? 0;
    if (left === 0) continue;
    counts.set(one, left - 1);
    both++;
  }
  return both;
}

/** Precision, recall and F1. */
function measures(wanted: readonly string[], found: readonly string[]): number[] {
  if (wanted.length === 0) return [1, 1, 1];
  const both = shared(wanted, found);
  if (both === 0) return [0, 0, 0];
  const [p, r] = [both / wanted.length, both / found.length];
  return [p, r, (2 * p * r) / (p + r)];
}

interface Result {
  readonly name: string;
  readonly score: number;
  /** Rows of the clean file that were not read. */
  readonly missing: number;
  /** Those that are in no report. */
  readonly lost: number;
  /** Rows that were read and are not in the clean file, such as notes below the table and a second table. */
  readonly added: number;
  readonly loaded: Loaded;
}

function judged(name: string, loaded: Loaded): Result {
  const text = readFileSync(join(folder, 'clean', name), 'utf8').replace(/^\uFEFF/, '');
  const clean = parse(text, {
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  }) as string[][];
  const all = [...(loaded.header ? [loaded.header] : []), ...loaded.rows];
  const joined = (rows: readonly (readonly string[])[]) => rows.slice(1).map((row) => row.join(''));
  const parts =
    clean.length === 0
      ? new Array(9).fill(1)
      : [
          ...measures(clean[0]!, all[0] ?? []),
          ...measures(joined(clean), joined(all)),
          ...measures(clean.flat(), all.flat()),
        ];
  const success = loaded.error === undefined ? 1 : 0;
  const whole = (rows: readonly (readonly string[])[]) =>
    rows.map((row) => {
      const text = row.join('\x1f').replace(loaded.noticed.ends ? /(\x1f|\s)*$/ : /\x1f*$/, '');
      return loaded.noticed.quotes ? text.replaceAll('""', '"') : text;
    });
  const named = parametersOf(name).column_names.length > 0 ? 1 : 0;
  const wanted = whole(clean.slice(named));
  const found = whole(all.slice(named));
  const both = shared(wanted, found);
  const missing = wanted.length - both;
  const lost = success === 0 ? 0 : Math.max(0, missing - loaded.rejected);
  return {
    name,
    score: success === 0 ? 0 : parts.reduce((a, b) => a + b, success),
    missing,
    lost,
    added: Math.max(0, found.length - both - lost),
    loaded,
  };
}

const results: Result[] = [];
for (const name of readdirSync(join(folder, 'csv')).sort()) {
  if (!existsSync(join(folder, 'clean', name))) continue;
  const path = join(folder, 'csv', name);
  results.push(judged(name, await load(path, name)));
}
rmSync(work, { recursive: true, force: true });
const weightsAt = join(dirname(folder), 'pollock_weights.json');
const weights: Record<string, number> =
  basename(folder) === 'polluted_files' && existsSync(weightsAt)
    ? JSON.parse(readFileSync(weightsAt, 'utf8'))
    : {};
const sum = (of: (result: Result) => number) => results.reduce((total, one) => total + of(one), 0);
const simple = sum(({ score }) => score) / results.length;
const weight = sum(({ name }) => weights[name] ?? 0);
const weighted = weight === 0 ? undefined : sum(({ name, score }) => score * (weights[name] ?? 0)) / weight;
const lines = results.map(({ name, score, missing, lost, added, loaded: { rejected, flags, error } }) =>
  [score.toFixed(3), missing, rejected, lost, added, name, flags, error ?? ''].join('\t'),
);
if (out !== undefined)
  writeFileSync(
    out,
    `${['score\tmissing\trejected\tlost\tadded\tfile\tflags\terror', ...lines].join('\n')}\n`,
  );
console.log(
  `${results.length} files: simple ${simple.toFixed(3)}${weighted === undefined ? '' : `, weighted ${weighted.toFixed(3)}`}; ` +
    `rows missing ${sum(({ missing }) => missing)}, rejected with a report ${sum(({ loaded }) => loaded.rejected)}, ` +
    `lost or changed without one ${sum(({ lost }) => lost)}, not in the clean files ${sum(({ added }) => added)}; files refused ${results.filter(({ loaded }) => loaded.error !== undefined).length}`,
);
