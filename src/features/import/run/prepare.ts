import { SAMPLE, type Sample } from '../formats/sample.ts';
import { checkSamples, PreflightFailed } from '../guess/check-sample.ts';
import { requireColumns } from '../guess/require-columns.ts';
import { tablesApart } from '../guess/tables-apart.ts';
import { decideTypes } from '../guess/types.ts';
import { InputError } from '../input/input-error.ts';
import { throwIfStopped } from '../input/stopped.ts';
import { columnsOf } from '../mapping/map-rules.ts';
import { MissingColumns } from '../mapping/missing-columns.ts';
import type { ColumnTypes } from '../record/cell-type.ts';
import { isPlaceholder } from '../record/placeholders.ts';
import type { Inputs } from './inputs.ts';
import type { ImportOptions, ImportWorld } from './options.ts';

/** With fewer records in the sample, an import starts even if most of them would be rejected. */
const MIN_PREFLIGHT_RECORDS = 20;
/** With more inputs than this, the sample of each is smaller, and all of them together are no larger. */
const MANY = 16;

/** Memory of a sample and of a cell in it, in bytes. */
const SAMPLE_BYTES = 512;
const CELL_BYTES = 24;

/**
 * Reads a sample before anything is sent: decides the types of CSV columns, and verifies that the columns are there and
 * that the sample is not mostly rejected. Throws InputError and PreflightFailed.
 */
export async function prepareImport(
  inputs: Inputs,
  {
    mapping,
    reading,
    preflight,
    flushInterval,
  }: Pick<ImportOptions, 'mapping' | 'reading' | 'preflight' | 'flushInterval'>,
  world: Pick<ImportWorld, 'clock' | 'stop'>,
): Promise<ColumnTypes> {
  const open = columnsOf(mapping.map).some(isPlaceholder);
  if (!preflight && !open && inputs.opened.every(({ format }) => format === 'ndjson')) return new Map();
  const samples = await readSamples(inputs, flushInterval, world);
  const columnTypes = decideTypes(samples, mapping);
  const decided = { ...mapping, columnTypes, onZoneless: undefined };
  try {
    for (const sample of samples) requireColumns(sample, decided, reading.columns !== undefined);
  } catch (error) {
    const apart =
      error instanceof MissingColumns && reading.columns === undefined && mapping.kind === 'events'
        ? tablesApart(samples)
        : undefined;
    if (!apart) throw error;
    throw new InputError(
      `${(error as Error).message.replace(/\.$/, '')}; the inputs hold tables of different columns.`,
      `import each alone, and look at them first:\n${apart.join('\n')}`,
      { cause: error },
    );
  }
  if (!preflight) return columnTypes;
  const check = checkSamples(samples, decided);
  if (check.records >= MIN_PREFLIGHT_RECORDS && check.rejected * 2 > check.records)
    throw new PreflightFailed(samples, check);
  return columnTypes;
}

/** Reads the sample of each input. Throws Stopped if it is stopped before the last. */
export async function readSamples(
  inputs: Inputs,
  wait: number,
  { clock, stop }: Pick<ImportWorld, 'clock' | 'stop'>,
): Promise<Sample[]> {
  const share = inputs.opened.length > MANY ? MANY : 1;
  const limits = { records: SAMPLE.records / share, bytes: SAMPLE.bytes / share };
  const samples: Sample[] = [];
  let left = MANY * SAMPLE.bytes;
  for (let index = 0; index < inputs.opened.length; index++) {
    if (index > 0) throwIfStopped(stop);
    const sample = await inputs.sample(index, limits, { wait, clock, signal: stop });
    left -= heldBytes(sample);
    // What is read of later inputs shows only which columns they have.
    samples.push(left > 0 || index === 0 ? sample : { ...sample, rows: [], texts: [], records: 0, bytes: 0 });
  }
  return samples;
}

/** About how much memory a sample needs, in bytes. */
function heldBytes({ bytes, rows, header }: Sample): number {
  return SAMPLE_BYTES + bytes + CELL_BYTES * (header?.length ?? 0) * (rows.length + 1);
}
