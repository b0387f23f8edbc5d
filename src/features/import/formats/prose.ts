// cspell:ignore rtrimstr todate
import { shell, shellPath } from '../../../kit/shell.ts';
import { InputError } from '../input/input-error.ts';
import { PLACEHOLDERS } from '../record/placeholders.ts';
import { findDialect } from './csv/csv-dialect.ts';

/** Lines that are looked at. */
const LINES = 20;
/** What stands for the year in the command. */
const YEAR = 'YEAR';
/** Share of them that must look like sentences, or like lines of a log. */
const MIN_PROSE_SHARE = 0.8;
const MIN_WORDS = 3;

/** A form of the lines of logs, as jq (Oniguruma) and JavaScript read it. */
interface LogForm {
  readonly lines: string;
  /** No table has such lines, whatever separates its cells. */
  readonly isCertain?: boolean;
  /** Its times lack the year. */
  readonly lacksYear?: boolean;
}

/** The beginning of what syslog says: the host, the program and its process. */
const SENDER = '(?<host>\\S+) (?<event>[^\\[\\]: ]+)(?:\\[(?<pid>\\d+)\\])?: (?<message>.*)$';
const LOGS: readonly LogForm[] = [
  {
    lines: `^(?:<\\d+>)?(?<time>[A-Z][a-z]{2,8} +\\d{1,2} \\d\\d:\\d\\d:\\d\\d) ${SENDER}`,
    isCertain: true,
    lacksYear: true,
  },
  {
    lines: `^(?:<\\d+>)?(?<time>\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[^ ,;|]*) ${SENDER}`,
    isCertain: true,
  },
  {
    lines:
      '^(?<time>\\d{4}/\\d\\d/\\d\\d \\d\\d:\\d\\d:\\d\\d) \\[(?<event>[a-z]+)\\] (?<message>.*?)(?:, client: (?<client>[^,]+), .*)?$',
    isCertain: true,
  },
  {
    // The native format of Squid, whose columns are padded with spaces.
    lines:
      '^(?<time>\\d{9,10}\\.\\d{3}) +(?<elapsed>\\d+) (?<client>\\S+) (?<event>[A-Z_]+/\\d{3}) (?<bytes>\\d+) (?<method>\\S+) (?<url>\\S+) (?<user>\\S+) (?<hierarchy>\\S+) (?<type>\\S+)$',
    isCertain: true,
  },
  {
    lines:
      '^(?<event>[A-Z]+): (?<time>\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d[^ ,;|]*) -? ?(?<message>.*)$',
    isCertain: true,
  },
  { lines: '^\\[(?<time>[^\\]]+)\\] \\[(?<event>[^\\]]+)\\] (?<message>.*)$' },
  { lines: '^\\[(?<time>[^\\]]+)\\] (?<event>[^ :]+):? (?<message>.*)$' },
  {
    lines:
      '^(?<time>\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d\\S*) +\\[?(?<event>[^\\] :]+)\\]?:? (?<message>.*)$',
  },
  {
    lines:
      '^(?<time>\\d\\d\\d\\d/\\d\\d/\\d\\d \\d\\d:\\d\\d:\\d\\d) +\\[?(?<event>[^\\] :]+)\\]?:? (?<message>.*)$',
  },
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
  const isForm = ({ lines: form }: LogForm) => most((line) => new RegExp(form).test(line));
  const log = LOGS.find(isForm);
  // The comma between the seconds and the milliseconds of a log separates no cells.
  const text = head.toString('utf8').replace(/(\d\d:\d\d:\d\d),(?=\d{3}\b)/g, '$1.');
  if (!log?.isCertain && findDialect(Buffer.from(text), undefined).isTable) return;
  const file = name === '-' ? 'standard input' : name;
  const what = `${file} is text without columns${log ? ', such as a log' : ''}: neither JSON nor a table.`;
  if (!log || name === '-') {
    throw new InputError(what, print === undefined ? shell`head -3 ${name}` : `${print} | head -3`);
  }
  const { by, asks } = recordsOf(log, head.includes('\r\n'));
  const jq = print === undefined ? `${by} ${shellPath(name)}` : `${print} | ${by}`;
  const { flags, asked } = flagsFor(log);
  throw new InputError(what, jq, {
    prepare: { by: jq, name, makes: '-', flags },
    note: `replace what is in capitals: ${[...asks, asked].join('; ')}`,
  });
}

/**
 * The command that makes records of the lines of a log, and what has to be replaced in it. `returns`: the lines end in a
 * carriage return too.
 */
function recordsOf({ lines, lacksYear }: LogForm, returns: boolean): { by: string; asks: string[] } {
  const year =
    ' | if .time then .time = ($year + " " + .time | strptime("%Y %b %d %H:%M:%S") | todate) else . end';
  const filter = `${returns ? 'rtrimstr("\\r") | ' : ''}capture(${JSON.stringify(lines)}) // {unread: .}${lacksYear ? year : ''}`;
  return lacksYear
    ? { by: shell`jq -cR --arg year ${YEAR} ${filter}`, asks: [`${YEAR} is the year, which its times lack`] }
    : { by: shell`jq -cR ${filter}`, asks: [] };
}

/** The flags that import such records, and what they ask for. */
function flagsFor({ lines }: LogForm): { flags: string[]; asked: string } {
  const users = [...lines.matchAll(/\(\?<(client|user|host)>/g)].map(([, name]) => name!);
  const { map, set } = PLACEHOLDERS;
  const user = users.length > 0 ? ['--map', `userId=${map.userId}`] : ['--set', `userId=${set.userId}`];
  return {
    flags: [
      ...user,
      ...['--map', 'timestamp=time', '--convert-timestamps'],
      ...['--extra-fields', 'properties', '--nulls', 'drop'],
    ],
    asked:
      users.length > 0 ? `${map.userId} is one of ${users.join(', ')}` : `${set.userId} is yours to name`,
  };
}
