import { commandLine, shellWord } from '../../../kit/shell.ts';
import { columnText } from '../mapping/map-rules.ts';
import { PLACEHOLDERS } from '../record/placeholders.ts';
import { type Flag, wordsOfFlags } from './flag.ts';

/** What only the user can decide: the placeholder is in `flag`, in capitals. */
export interface Ambiguity {
  /** The column, or the field that no column provides. */
  readonly column: string;
  readonly choices: readonly string[];
  readonly flag: string;
  /** Flags that could stand in place of `flag`. */
  readonly instead?: readonly Flag[];
  /** What the placeholder is, in place of the list of choices. */
  readonly meaning?: string;
}

/** An ambiguity, with its flag in parts. */
export interface Asked extends Omit<Ambiguity, 'flag'> {
  readonly flag: Flag;
}

/** The text of a flag in an ambiguity. */
export function flagText(flag: Flag): string {
  return `--${flag.join(' ')}`;
}

/** Explains the placeholders of a suggested command. */
export function ambiguityNote({
  ambiguities,
}: {
  readonly ambiguities: readonly Ambiguity[];
}): string | undefined {
  const notes = ambiguityNotes({ ambiguities });
  return notes.length === 0 ? undefined : `replace what is in capitals: ${notes.join('; ')}`;
}

/** Explains each placeholder of a suggested command. */
export function ambiguityNotes({ ambiguities }: { readonly ambiguities: readonly Ambiguity[] }): string[] {
  return ambiguities.map(noteOf);
}

function noteOf({ flag, choices, instead = [], meaning: given }: Ambiguity): string {
  const placeholder = /[A-Z_]+$/.exec(flag)?.[0] ?? flag;
  if (given !== undefined) return `${placeholder} ${given}`;
  if (choices.length > 0)
    return `${placeholder} is one of ${choices.map((choice) => wordFor(flag, choice)).join(', ')}`;
  const meaning = MEANINGS[placeholder] ?? 'is yours to name';
  const others = instead.map((one) => commandLine(wordsOfFlags([one]))).join(' or ');
  return `${placeholder} ${meaning}${others === '' ? '' : ` (or a column: ${others})`}`;
}

/** A choice as it is typed in place of the placeholder. */
function wordFor(flag: string, choice: string): string {
  return shellWord(flag.startsWith('--map ') ? columnText(choice) : choice);
}

const MEANINGS: Readonly<Record<string, string>> = {
  [PLACEHOLDERS.set.timestamp]:
    'is a time for all records, such as 2026-01-31T12:00:00Z, as no column has times',
  [PLACEHOLDERS.timestampFormat]: "is the form of the times, such as 'DD.MM.YYYY HH:mm'",
  [PLACEHOLDERS.timeZone]: 'is the time zone of the times, such as Europe/Berlin',
};
