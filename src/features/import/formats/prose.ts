import { shell } from '../../../kit/shell.ts';
import { InputError } from '../input/input-error.ts';
import { findDialect } from './csv/csv-dialect.ts';

/** Lines that are looked at. */
const LINES = 20;
/** Share of them that must look like sentences, or like lines of a log. */
const MIN_PROSE_SHARE = 0.8;
const MIN_WORDS = 4;

/** Forms of the lines of logs, as jq (Oniguruma) and JavaScript read them. */
const LOGS: readonly string[] = [
  '^\\[(?<time>[^\\]]+)\\] \\[(?<event>[^\\]]+)\\] (?<message>.*)$',
  '^\\[(?<time>[^\\]]+)\\] (?<event>[^ :]+):? (?<message>.*)$',
  '^(?<time>\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d\\S*) +\\[?(?<event>[^\\] :]+)\\]?:? (?<message>.*)$',
  '^(?<time>\\d\\d\\d\\d/\\d\\d/\\d\\d \\d\\d:\\d\\d:\\d\\d) +\\[?(?<event>[^\\] :]+)\\]?:? (?<message>.*)$',
];

/**
 * Throws an InputError for text that has words, but no columns: most of all, logs. `print`: the command that prints the
 * text, if it is not in the file as it is.
 */
export function refuseProse(name: string, head: Buffer, print?: string): void {
  const lines = head
    .toString('utf8', 0, 16 * 1024)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, LINES);
  const most = (matches: (line: string) => boolean) =>
    lines.filter(matches).length >= lines.length * MIN_PROSE_SHARE;
  if (!most((line) => line.trim().split(/\s+/).length >= MIN_WORDS)) return;
  // The comma between the seconds and the milliseconds of a log separates no cells.
  const text = head.toString('utf8').replace(/(\d\d:\d\d:\d\d),(?=\d{3}\b)/g, '$1.');
  if (findDialect(Buffer.from(text), undefined).isTable) return;
  const log = LOGS.find((form) => most((line) => new RegExp(form).test(line)));
  const out = `${name.replace(/^.*[/:]/, '')}.ndjson`;
  const filter = `capture(${JSON.stringify(log)}) // {unread: .}`;
  const records =
    print === undefined
      ? shell`jq -cR ${filter} ${name} > ${out}`
      : `${print} | ${shell`jq -cR ${filter} > ${out}`}`;
  throw new InputError(
    `${name === '-' ? 'standard input' : name} is text without columns${log ? ', such as a log' : ''}: neither JSON nor a table.`,
    log === undefined || name === '-'
      ? print === undefined
        ? shell`head -3 ${name}`
        : `${print} | head -3`
      : `${records} && ${shell`svc events inspect ${out}`}`,
  );
}
