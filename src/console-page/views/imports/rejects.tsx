import type { VNode } from 'preact';
import type { ConsoleImports, ConsoleRejects, RejectedCount } from '../../../contract/console.ts';
import { commandLine } from '../../../kit/shell.ts';
import { about, svcCommand } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Command } from '../../parts/command.tsx';
import { count } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { cleaned, Text } from '../../parts/text.tsx';

export const baseName = (path: string): string => path.split(/[/\\]/).at(-1)!;

export const rejectedWords = ({ count: n, more }: RejectedCount): string => `${count(n)}${more ? '+' : ''}`;

/** A file by its name; the folder is in the title. */
export const Path = ({ of }: { of: string }): VNode => (
  <span title={cleaned(of)}>
    <Text of={baseName(of)} />
  </span>
);

type Import = ConsoleImports['imports'][number];

/** True of an import into other data than the console shows. */
export const isElsewhere = ({ workspace }: Import): boolean =>
  workspace !== null && workspace !== about.value?.workspace.id;

/** A command that goes on with an import: for the service that it was sent to, where that is another one. */
export function importLine(of: Import, words: readonly string[]): string {
  const { baseUrl, workspace } = of;
  if (!isElsewhere(of) || baseUrl === null || workspace === null) return svcCommand(...words);
  const place = ['--base-url', baseUrl, '--workspace', workspace];
  return `${about.value?.commandPrefix ?? 'svc'} ${commandLine([...words, ...place])}`;
}

/**
 * Why records were refused, the most frequent reason first, which lines they are, and how to import them once they are
 * corrected.
 */
export function Rejects(props: { of: Import; file: string }): VNode {
  const { file } = props;
  const { id, kind, rejected } = props.of;
  const { value, error, reload } = useResource(`rejects ${id}`, (signal) =>
    ask<ConsoleRejects>(`imports/${encodeURIComponent(id)}`, { signal }),
  );
  const again = value?.again ?? [kind === 'users' ? 'users' : 'events', 'import', file];
  const read = timeFlags(value?.reasons ?? []);
  const flags = read.some((flag) => again.includes(flag)) ? [] : read;
  return (
    <>
      <h3>
        {rejected
          ? `${rejectedWords(rejected)} rejected${value && value.reasons.length > 1 ? ', most often' : ''}:`
          : 'Rejected records'}
      </h3>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading what="the reasons" />}
      {value && value.reasons.length === 0 && (
        <p class="note">
          The file with them is not there any more: <Path of={file} />
        </p>
      )}
      {value && value.reasons.length > 0 && (
        <ul class="reasons" aria-label="Reasons">
          {value.reasons.map(({ field, reason, count: n, places, example }) => (
            <li>
              <strong>{count(n)}</strong>{' '}
              <code>
                <Text of={field} />
              </code>{' '}
              <Text of={reason} />
              {inputsOf(places).map((input) => (
                <Lines of={input} more={n > places.length} />
              ))}
              {example !== null && (
                <code class="example">
                  <Text of={example} />
                </code>
              )}
            </li>
          ))}
        </ul>
      )}
      {value?.reasons.some(({ example }) => example === null) && (
        <>
          <p class="note">The first of them as it was sent, with its reason:</p>
          <Command line={commandLine(['head', '-n', '1', file])} label="show an example" />
        </>
      )}
      {value?.partly && <p class="note">Only the beginning of the file was read.</p>}
      <p>
        Each stands in <Path of={file} /> beside the input, with what was sent as its <code>raw</code>:
        correct that, then import the file.
      </p>
      <Command
        line={importLine(props.of, [...again, ...flags])}
        label="import them again once they are corrected"
      />
      {flags.length > 0 && (
        <p class="note">Its flags read the times that were refused; these need no correction.</p>
      )}
    </>
  );
}

/** The flags that reasons name, with which records are read as they are. */
function timeFlags(reasons: ConsoleRejects['reasons']): string[] {
  const text = reasons.map(({ reason }) => reason).join('\n');
  const [, format] = /--timestamp-format (\S+)/.exec(text) ?? [];
  // A format reads no other times: those that are correct are read by the other flag.
  if (format) return ['--timestamp-format', format, '--convert-timestamps'];
  return text.includes('--convert-timestamps') ? ['--convert-timestamps'] : [];
}

/** Ranges of lines that are shown before the others are opened. */
const MOST_RANGES = 6;

interface Input {
  readonly name: string;
  /** Ranges of lines, the first and the last of each. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** The lines of each input, those that follow one another as a range. */
function inputsOf(places: ConsoleRejects['reasons'][number]['places']): Input[] {
  const inputs = new Map<string, [number, number][]>();
  for (const { file, line } of places) {
    const ranges = inputs.get(file) ?? [];
    inputs.set(file, ranges);
    const last = ranges.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return [...inputs].map(([name, ranges]) => ({ name, ranges }));
}

/** Which lines of an input were refused. */
function Lines(props: { of: Input; more: boolean }): VNode {
  const {
    of: { name, ranges },
    more,
  } = props;
  const words = ranges.map(([first, last]) =>
    first === last ? count(first) : `${count(first)} to ${count(last)}`,
  );
  const isOne = ranges.length === 1 && ranges[0]![0] === ranges[0]![1];
  const shown = words.slice(0, MOST_RANGES).join(' · ');
  const rest = words.slice(MOST_RANGES);
  const line = (
    <>
      <Path of={name} />, {isOne ? 'line' : 'lines'} {shown}
      {rest.length > 0 ? ` · and ${count(rest.length)} more` : more && ' · …'}
    </>
  );
  if (rest.length === 0) return <p class="note">{line}</p>;
  return (
    <details class="note">
      <summary>{line}</summary>
      {rest.join(' · ')}
      {more && ' · …'}
    </details>
  );
}
