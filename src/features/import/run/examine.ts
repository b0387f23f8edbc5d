import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_BODY_BYTES } from '../../../contract/limits.ts';
import { shell } from '../../../kit/shell.ts';
import { headerIsData } from '../formats/csv/header.ts';
import { OtherForm } from '../formats/csv/other-form.ts';
import { NotUtf8 } from '../formats/not-utf8.ts';
import type { Sample } from '../formats/sample.ts';
import { flagText } from '../guess/ambiguity.ts';
import { encodingFlag, type Needed, withNeeded } from '../guess/encoding-flag.ts';
import { type Findings, findingsOf } from '../guess/findings.ts';
import type { Flag } from '../guess/flag.ts';
import { InputError } from '../input/input-error.ts';
import type { MappingFlags } from '../option-table/flags.ts';
import { withFlags } from '../option-table/suggested-flags.ts';
import { mappingOf } from '../option-table/table.ts';
import type { Inputs } from './inputs.ts';
import { readSamples } from './prepare.ts';
import { type ReadThrough, readThrough } from './read-through.ts';

/** How long a pipe is waited for. */
const PIPE_WAIT_MS = 5000;
/** Share of the records from which a column whose first cells were numbers is text. */
const MANY_TEXTS = 0.01;
/** How often the inputs are read with flags that the reading before showed to be needed. */
const MAX_READINGS = 4;

/** What the inputs show. */
interface Examined {
  /** With all flags of the suggested command. */
  readonly findings: Findings;
  /** Undefined for a pipe. */
  readonly through: ReadThrough | undefined;
}

interface Examination {
  readonly names: readonly string[];
  readonly cwd: string;
  readonly flags: MappingFlags;
  readonly open: (flags: MappingFlags, first: boolean) => Promise<Inputs>;
  readonly world: Parameters<typeof readSamples>[2];
}

/**
 * Examines the inputs. Reads them again where the first reading shows that a flag is needed before their columns can be
 * judged: the encoding, the form of a table, or the type of a column whose later cells are no numbers.
 */
export async function examine(examination: Examination): Promise<Examined> {
  let needed: Needed = { shown: [], used: [], asked: [] };
  for (let n = 1; ; n++) {
    const flags = withFlags(examination.flags, needed.used);
    const knowsEncoding = flags.encoding !== undefined || needed.asked.length > 0;
    try {
      const examined = await readOnce(examination, flags, n === 1);
      const next = n === MAX_READINGS ? undefined : neededAfter(examined, needed, knowsEncoding);
      if (!next) return { ...examined, findings: withNeeded(examined.findings, needed) };
      needed = next;
    } catch (error) {
      if (!isAgainReadable(examination)) throw error;
      if (error instanceof OtherForm && n < MAX_READINGS) {
        needed = { ...needed, shown: [...needed.shown, error.form], used: [...needed.used, error.form] };
        continue;
      }
      if (!(error instanceof NotUtf8) || knowsEncoding) throw error;
      const found = encodingFlag(error.bytes);
      if (found.used.length === 0) throw error;
      needed = {
        shown: [...needed.shown, ...found.shown],
        used: [...needed.used, ...found.used],
        asked: [...needed.asked, ...found.asked],
      };
    }
  }
}

/** A pipe can be read only once. */
function isAgainReadable({ names, cwd }: Examination): boolean {
  return names.every((name) => {
    const found = statSync(resolve(cwd, name), { throwIfNoEntry: false });
    return name !== '-' && !found?.isFIFO() && !found?.isCharacterDevice();
  });
}

async function readOnce(
  { names, open, world }: Examination,
  flags: MappingFlags,
  first: boolean,
): Promise<Examined> {
  const inputs = await open(flags, first);
  try {
    const samples = await readSamples(inputs, PIPE_WAIT_MS, world);
    requireRecords(samples, names);
    const mappingWith = (more: readonly Flag[]) => mappingOf('events', withFlags(flags, more), undefined);
    const findings = findingsOf(samples, mappingWith([]), mappingWith, flags.columns !== undefined);
    const { trial, types, check } = findings;
    const isFile = inputs.opened.every(({ fingerprint }) => fingerprint !== null);
    if (!check || !isFile) return { findings, through: undefined };
    const through = await readThrough(
      () => open(withFlags(flags, trial), false),
      { ...mappingWith(trial), columnTypes: types },
      world.stop,
    );
    return { findings, through };
  } finally {
    await inputs.close();
  }
}

function requireRecords(samples: readonly Sample[], names: readonly string[]): void {
  const hasRecords = ({ records, header }: Sample) =>
    records > 0 || (header !== undefined && headerIsData(header, [], 'events'));
  if (samples.some(hasRecords)) return;
  const what = samples.some(({ header }) => header)
    ? 'a header and no rows'
    : samples.some(({ whole }) => !whole)
      ? `no record of at most ${MAX_BODY_BYTES / 1024 / 1024} MiB at its beginning`
      : 'no records';
  throw new InputError(`${names.join(', ')} has ${what}.`, shell`ls -l ${names[0] ?? '-'}`);
}

/** The flags that a reading shows to be needed in addition; undefined if there are none. */
function neededAfter({ through }: Examined, before: Needed, knowsEncoding: boolean): Needed | undefined {
  if (!through) return undefined;
  const { reasons, read } = through;
  if (reasons.undecoded.length > 0 && !knowsEncoding) {
    const { shown, used, asked } = encodingFlag(Buffer.concat(reasons.undecoded));
    return {
      shown: [...before.shown, ...shown],
      used: [...before.used, ...used],
      asked: [...before.asked, ...asked],
    };
  }
  const types = reasons.textColumns
    .filter(([column, count]) => count > read * MANY_TEXTS && !column.includes('='))
    .map(([column]): Flag => ['type', `${column}=string`])
    .filter((flag) => !before.used.some((known) => flagText(known) === flagText(flag)));
  if (types.length === 0) return undefined;
  return { ...before, shown: [...before.shown, ...types], used: [...before.used, ...types] };
}
