import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { firstOf } from '../../../../kit/first-of.ts';
import { shell, shellPath } from '../../../../kit/shell.ts';
import type { Downloads } from '../downloads.ts';
import { InputError } from '../input-error.ts';
import { folderOfPattern, globFiles, isGlob, slashed, WINDOWS } from './glob.ts';
import { isZip, type ZipEntry, zipEntries } from './zip.ts';

/** A file to read, or an entry of a zip archive. */
export interface Source {
  /** What messages and rejects call it. */
  readonly name: string;
  /** The file, as the user would name it; `-` is standard input. */
  readonly file: string;
  readonly entry?: ZipEntry | undefined;
  /** Of a file from the web: a name that says of which type it is. */
  readonly typeName?: string | undefined;
}

/** The names of files that are data, in folders and archives. */
const DATA = /\.(ndjson|jsonl|ldjson|json|csv|tsv|psv|txt|log|parquet|zip)(\.(gz|gzip|zst|zstd))?$/i;
const OURS = /\.rejects\.ndjson$/;
/** Maximum number of names in a notice. */
const MAX_NAMES = 5;

/**
 * Finds the files that the user named: those of a folder and its folders, those that a pattern matches, and the entries
 * of zip archives, each sorted. Leaves out hidden files, rejects files, what is not data and repeated files, and says so.
 */
export async function filesIn(
  names: readonly string[],
  cwd: string,
  onNotice: (text: string) => void,
  downloads: Downloads = new Map(),
): Promise<Source[]> {
  const files: string[] = [];
  for (const name of names)
    for (const file of downloads.has(name) ? [name] : await filesOf(name, cwd, onNotice)) files.push(file);
  const sources: Source[] = [];
  for (const name of await withoutRepeats(files, cwd, onNotice)) {
    const { path: file = name, typeName } = downloads.get(name) ?? {};
    for (const source of await entriesOf(name, file, cwd, onNotice)) sources.push({ ...source, typeName });
  }
  return sources;
}

/** Leaves out files that were found before, also by a link, and says so. Of a file and its link, the file stays. */
async function withoutRepeats(
  files: readonly string[],
  cwd: string,
  onNotice: (text: string) => void,
): Promise<string[]> {
  const found = new Map<string, { index: number; isLink: boolean }>();
  const left = new Set<number>();
  for (const [index, file] of files.entries()) {
    const path = resolve(cwd, file);
    const state = file === '-' ? undefined : await lstat(path).catch(() => undefined);
    const real = state && (await realpath(path).catch(() => undefined));
    // A pipe can be read only once, whatever its name.
    if (!real || !(await stat(real).catch(() => undefined))?.isFile()) continue;
    const before = found.get(real);
    const isLink = state.isSymbolicLink();
    const isBetter = before?.isLink === true && !isLink;
    if (!before || isBetter) found.set(real, { index, isLink });
    if (before) left.add(isBetter ? before.index : index);
  }
  if (left.size > 0)
    onNotice(
      `left out ${firstNames([...left].map((index) => files[index]!))}: named twice, or a link to another input`,
    );
  return files.filter((_, index) => !left.has(index));
}

async function filesOf(name: string, cwd: string, onNotice: (text: string) => void): Promise<string[]> {
  if (name === '-' || /^\w+:\/\//.test(name)) return [name];
  const found = await stat(resolve(cwd, name)).catch(() => undefined);
  if (found?.isDirectory()) {
    const folder = resolve(cwd, name);
    const inside = await readdir(folder, { recursive: true, withFileTypes: true });
    const all = inside
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    const kept = dataFiles(all, (left) => onNotice(`${name}: ${left}`)).map((file) => join(name, file));
    if (kept.length > 0) return kept;
    throw new InputError(`${name} is a folder without data files.`, `ls -A ${shellPath(name)}`);
  }
  if (found || !isGlob(name)) return [name];
  const matches = (await globFiles(name, cwd)).filter((file) => !OURS.test(file));
  if (matches.length > 0) return matches.sort();
  throw new InputError(`no file matches ${name}`, `ls ${shellPath(folderOfPattern(name) || '.')}`);
}

/** Selects the files that are data from those in a folder, as named relative to it, and says which are left out. */
export function dataFiles(
  all: readonly string[],
  onLeftOut: (text: string) => void,
  windows = WINDOWS,
): string[] {
  const within = (file: string) => slashed(file, windows);
  const visible = all.filter((file) => !/(^|\/)(\.(?!\.?(\/|$))|__MACOSX(\/|$))/.test(within(file)));
  const named = visible.filter((file) => DATA.test(file) && !OURS.test(file)).sort();
  // Parts that programs write often have no extension.
  const plain = visible
    .filter((file) => /(^|\/)(?!_|readme|licen[cs]e|makefile|changelog)[^./]+$/i.test(within(file)))
    .sort();
  const kept = named.length > 0 ? named : plain;
  const known = new Set(kept);
  const left = visible.filter((file) => !known.has(file) && !/(^|\/)_[A-Za-z]\w*$/.test(within(file))).sort();
  if (left.length > 0) onLeftOut(`left out ${firstNames(left.map((file) => basename(file)).sort())}`);
  return kept;
}

/** The first names of a list, and how many more there are. */
export function firstNames(names: readonly string[]): string {
  return firstOf(names, MAX_NAMES);
}

/** The entries of a zip archive; any other file is itself. */
async function entriesOf(
  name: string,
  file: string,
  cwd: string,
  onNotice: (text: string) => void,
): Promise<readonly Source[]> {
  const plain = [{ name, file }];
  if (file === '-') return plain;
  const path = resolve(cwd, file);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return plain;
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return plain;
  try {
    const head = Buffer.alloc(4);
    const { bytesRead } = await handle.read(head, 0, 4, 0);
    if (!isZip(head.subarray(0, bytesRead))) return plain;
    const entries = await zipEntries(handle, found.size, file);
    if (entries.some(({ name }) => name === '[Content_Types].xml')) throw spreadsheet(file);
    const only = entries.length === 1 ? entries.map(({ name }) => name) : [];
    const left = (text: string) => onNotice(`${name}: ${text}`);
    const names = new Set(
      only.length > 0
        ? only
        : dataFiles(
            entries.map(({ name }) => name),
            left,
          ),
    );
    const kept = entries.filter(({ name }) => names.has(name));
    if (kept.length === 0)
      throw new InputError(`${name} is a zip archive without data files.`, `unzip -l ${shellPath(file)}`);
    return kept.map((entry) => ({ name: `${name}:${entry.name}`, file, entry }));
  } finally {
    await handle.close();
  }
}

function spreadsheet(file: string): InputError {
  const by = shell`libreoffice --convert-to csv ${file}`;
  const prepare = { by, name: file, makes: asCsv(file) };
  return new InputError(`${file} is a spreadsheet or document.`, by, { prepare });
}

/** What libreoffice makes of a workbook, in the current folder. */
export function asCsv(workbook: string): string {
  return `${basename(workbook).replace(/\.\w+$/, '')}.csv`;
}
