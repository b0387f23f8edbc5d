import { createReadStream } from 'node:fs';
import { extname, resolve } from 'node:path';
import { fileError } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { inputLines } from '../../cli/input/input-lines.ts';
import type { World } from '../../cli/terminal/world.ts';
import { LineTooLong } from '../../kit/lines.ts';
import { openPipe } from '../../kit/pipe.ts';
import type { LogEntry } from './evaluate-log.ts';
import { LOG_FIELDS, type LogField, LogRow } from './log-row.ts';
import type { Range } from './logged-decision.ts';

export interface LogFileOptions {
  /** A path, or `-` for standard input. */
  readonly input: string;
  readonly format: 'ndjson' | 'csv' | undefined;
  /** `--map field=column`. */
  readonly map: ReadonlyMap<LogField, string>;
  /** How many candidates each decision had, where the file does not list them. */
  readonly candidates: number | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** The range of a reward. */
  readonly range: Range;
  readonly signal: AbortSignal;
  readonly world: Pick<World, 'stdin' | 'cwd'>;
  readonly onNotice: (text: string) => void;
}

const PAGE = 1000;

/** Maximum length of a record, in characters; far above any entry of a log. */
const MAX_LINE = 1024 * 1024;

/** Distinct actions up to which they are counted; far above any catalog. */
const MAX_ACTIONS = 100_000;

/**
 * Reads a decision log from NDJSON (also the service's own entries) or CSV. Where the file does not list the
 * candidates, every decision is taken to have had `options.candidates` of them or, in a regular file, as many as it has
 * different actions. Throws usage and file.
 */
export async function* readLogFile(options: LogFileOptions): AsyncGenerator<LogEntry[]> {
  const { map, since, until } = options;
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const to = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const ranged = since !== undefined || until !== undefined;
  let count = options.candidates;
  let page: LogEntry[] = [];
  for await (const values of rows(options)) {
    const row = new LogRow(values.line, values.fields, map);
    const given = row.candidates();
    if (!given) count ??= await countActions(options);
    if (ranged) {
      const at = row.instant();
      if (!(at >= from && at < to)) continue;
    }
    page.push(row.entry(given, count, options.range));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Reads the file once to count its different actions. */
async function countActions(options: LogFileOptions): Promise<number> {
  if (options.input === '-' || (await openPipe(resolve(options.world.cwd, options.input))))
    throw new SvcError('usage', 'the log does not list the candidates of its decisions', {
      hint: (invocation) => `say how many each had: ${invocation.rerunWith('--candidates', 'N')}`,
    });
  const actions = new Set<string>();
  for await (const { line, fields } of rows(options)) {
    const action = new LogRow(line, fields, options.map).action();
    if (action !== null) actions.add(action);
    if (actions.size > MAX_ACTIONS)
      throw new SvcError('usage', `the log has over ${MAX_ACTIONS.toLocaleString('en')} different actions`, {
        hint: 'add --map action=COLUMN with the name of the column of the action',
      });
  }
  options.onNotice(
    `the log does not list candidates: each decision is taken to have had all ${actions.size} actions of the log as candidates; --candidates N sets another number`,
  );
  return actions.size;
}

interface Values {
  /** From 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function* rows(options: LogFileOptions): AsyncGenerator<Values> {
  const { input, world, signal } = options;
  const format = options.format ?? (/^\.[ct]sv$/i.test(extname(input)) ? 'csv' : 'ndjson');
  yield* format === 'csv'
    ? csvRows(options)
    : jsonRows(inputLines({ ...world, file: input }, signal, MAX_LINE));
}

async function* jsonRows(lines: AsyncIterable<string>): AsyncGenerator<Values> {
  try {
    yield* parsedLines(lines);
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw new SvcError('file', 'a line of the log is longer than 1 MiB', {
      hint: 'give one decision per line',
    });
  }
}

async function* parsedLines(lines: AsyncIterable<string>): AsyncGenerator<Values> {
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() === '') continue;
    let fields: unknown;
    try {
      fields = JSON.parse(text);
    } catch {}
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      throw new SvcError('usage', `line ${line} of the log is not a JSON object`, {
        hint: (invocation) => `for a CSV file: ${invocation.rerunWith('--format', 'csv')}`,
      });
    yield { line, fields: fields as Record<string, unknown> };
  }
}

async function* csvRows({ input, world, signal, map }: LogFileOptions): AsyncGenerator<Values> {
  const path = resolve(world.cwd, input);
  const stream: NodeJS.ReadableStream =
    input === '-' ? world.stdin : ((await openPipe(path)) ?? createReadStream(path));
  // Only a log from a CSV file needs the parser.
  const { parse } = await import('csv-parse');
  const parser = parse({
    bom: true,
    columns: (names: string[]) => checkedColumns(names, map),
    info: true,
    delimiter: /\.tsv$/i.test(input) ? '\t' : ',',
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
  });
  const name = input === '-' ? 'standard input' : input;
  stream.once('error', (error: Error) => parser.destroy(fileError(name, error)));
  const stop = () => parser.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const { record, info } of stream.pipe(parser) as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>)
      yield { line: info.lines, fields: record };
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof SvcError) throw error;
    throw new SvcError('usage', `the log is not valid CSV: ${(error as Error).message}`, {
      hint: (invocation) => `for NDJSON: ${invocation.rerunWith('--format', 'ndjson')}`,
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The columns of a CSV file. Throws usage if two have the name of a field that is read. */
function checkedColumns(names: string[], map: LogFileOptions['map']): string[] {
  const read = new Set([...LOG_FIELDS.map((field) => map.get(field) ?? field), 'contentId', 'others']);
  const twice = names.find((name, i) => read.has(name) && names.indexOf(name) < i);
  if (twice === undefined) return names;
  throw new SvcError('usage', `the log has two columns with the name ${twice}`, {
    hint: 'rename one of them',
  });
}
