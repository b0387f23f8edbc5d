import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleRejects, RejectedCount, StoredImport } from '../../contract/console.ts';
import { maskPersonal } from '../../kit/personal-data.ts';
import { forgetImport, keptImports, optionsOf } from '../import/deliver/journal/list.ts';
import { rejectsWords, resumeWords } from '../import/report/recovery-commands.ts';
import type { OwnParts } from './own.ts';
import { Refusal } from './refusal.ts';

/** The imports whose journals this machine keeps, as `svc imports list` and `svc imports forget` have them. */
export function importsOf(dataDir: string): OwnParts['imports'] {
  const folder = join(dataDir, 'imports');
  const counted = countsOfRejects();
  return {
    list: () => ({
      imports: keptImports(folder).map((one) => ({
        ...one,
        rejected: one.rejectsFile === null ? null : counted(one.rejectsFile),
        resume: one.state === 'unfinished' ? resumeOf(folder, one) : null,
      })),
    }),
    forget: (id) => {
      const found = keptImports(folder).find((one) => one.id === id);
      if (!found) throw new Refusal(404, 'not_found', 'No import has this identifier.');
      if (!forgetImport(folder, found))
        throw new Refusal(409, 'locked', 'The import is running: wait for its end, or interrupt it.');
      return { removed: [id] };
    },
    rejects: (id) => {
      const found = keptImports(folder).find((one) => one.id === id);
      if (!found || found.rejectsFile === null) return found && NO_REJECTS;
      const options = optionsOf(folder, found);
      const again = options === undefined ? null : rejectsWords(options, found.rejectsFile);
      return { ...reasonsIn(found.rejectsFile), again };
    },
  };
}

function resumeOf(folder: string, one: StoredImport): readonly string[] | null {
  const options = optionsOf(folder, one);
  return options === undefined ? null : resumeWords(options);
}

/** Most bytes of a rejects file in which records are counted. */
const MOST_COUNTED = 64 * 1024 * 1024;
const LINE_END = 10;

/** Counts the records of rejects files, each of which is a line: again only once a file has changed. Null for one that is gone. */
function countsOfRejects(): (path: string) => RejectedCount | null {
  const known = new Map<string, { readonly version: string; readonly counted: RejectedCount }>();
  return (path) => {
    const { size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (size === undefined) return null;
    const version = `${size} ${mtimeMs}`;
    const last = known.get(path);
    if (last?.version === version) return last.counted;
    const counted = linesOf(path, size);
    known.set(path, { version, counted });
    return counted;
  };
}

function linesOf(path: string, size: number): RejectedCount {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(Math.min(size, 1024 * 1024));
    let count = 0;
    for (let at = 0; at < Math.min(size, MOST_COUNTED); ) {
      const read = readSync(file, bytes, 0, bytes.length, at);
      if (read === 0) break;
      for (let i = bytes.indexOf(LINE_END); i >= 0 && i < read; i = bytes.indexOf(LINE_END, i + 1)) count++;
      at += read;
    }
    return { count, more: size > MOST_COUNTED };
  } finally {
    closeSync(file);
  }
}

const NO_REJECTS: ConsoleRejects = { reasons: [], partly: false, again: null };
/** Bytes of a rejects file that are read. */
const MOST_READ = 4 * 1024 * 1024;
/** Reasons that are listed, and records of each. */
const MOST_REASONS = 50;
const MOST_PLACES = 100;
/** What comes before the record in a line of a rejects file (record/reject.ts). */
const BEFORE_RECORD = /^\{"file":.*?(?=,"raw":")/s;

interface Reason {
  readonly field: string;
  readonly reason: string;
  count: number;
  readonly places: { readonly file: string; readonly line: number }[];
  readonly example: string | null;
}

/**
 * The reasons in the beginning of a rejects file, the most frequent first, each with its first record. What looks personal in
 * these is left out. A file that is gone has none.
 */
function reasonsIn(path: string): Omit<ConsoleRejects, 'again'> {
  const { text, whole } = beginningOf(path);
  const lines = text.split('\n');
  // The last one is empty, or cut.
  lines.pop();
  const reasons = new Map<string, Reason>();
  let more = !whole;
  for (const line of lines) {
    const head = BEFORE_RECORD.exec(line)?.[0];
    if (head === undefined) continue;
    const { file, line: number, field, reason } = JSON.parse(`${head}}`) as Record<string, unknown>;
    const words = String(maskPersonal('reason', String(reason)));
    const key = `${String(field)} ${words}`;
    if (!reasons.has(key) && reasons.size >= MOST_REASONS) {
      more = true;
      continue;
    }
    const known = reasons.get(key) ?? {
      field: String(field),
      reason: words,
      count: 0,
      places: [],
      example: exampleOf(line),
    };
    reasons.set(key, known);
    known.count++;
    if (known.places.length < MOST_PLACES) known.places.push({ file: String(file), line: Number(number) });
  }
  return { reasons: [...reasons.values()].sort((a, b) => b.count - a.count), partly: more };
}

/** Characters of a record that are shown. */
const MOST_SHOWN = 500;

/** The record of a line of a rejects file, without what looks personal; null if it is not an object. */
function exampleOf(line: string): string | null {
  try {
    const record: unknown = JSON.parse((JSON.parse(line) as { raw: string }).raw);
    if (typeof record !== 'object' || record === null) return null;
    const text = JSON.stringify(maskPersonal('record', record));
    return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  } catch {
    return null;
  }
}

function beginningOf(path: string): { text: string; whole: boolean } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return { text: '', whole: true };
  }
  try {
    const bytes = Buffer.allocUnsafe(MOST_READ);
    const read = readSync(file, bytes, 0, MOST_READ, 0);
    return { text: bytes.toString('utf8', 0, read), whole: read < MOST_READ };
  } finally {
    closeSync(file);
  }
}
