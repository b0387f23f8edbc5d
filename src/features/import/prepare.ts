import { checkSamples, type SampleCheck } from './inspect/check-sample.ts';
import { requireColumns } from './inspect/require-columns.ts';
import { decideTypes } from './inspect/types.ts';
import type { ImportOptions, ImportWorld } from './options.ts';
import type { Inputs } from './read/inputs.ts';
import { SAMPLE, type Sample } from './read/sample.ts';
import type { ColumnTypes } from './transform/mapping.ts';

/** With fewer records in the sample, an import starts even if most of them would be rejected. */
const FEWEST = 20;
/** With more inputs than this, the sample of each is smaller. */
const MANY = 16;

/** Most records of the sample would be rejected: nothing was sent, and no journal was begun. */
export class PreflightFailed extends Error {
  readonly samples: readonly Sample[];
  readonly check: SampleCheck;

  constructor(samples: readonly Sample[], check: SampleCheck) {
    super(`${check.rejected} of the first ${check.records} records would be rejected`);
    this.name = 'PreflightFailed';
    this.samples = samples;
    this.check = check;
  }
}

/**
 * Reads a sample before anything is sent: decides the types of CSV columns, and verifies that the columns are there and
 * that the sample is not mostly rejected. Throws InputError and PreflightFailed.
 */
export async function prepareImport(
  inputs: Inputs,
  { mapping, preflight, flushInterval }: Pick<ImportOptions, 'mapping' | 'preflight' | 'flushInterval'>,
  world: Pick<ImportWorld, 'clock' | 'stop'>,
): Promise<ColumnTypes> {
  if (!preflight && inputs.opened.every(({ format }) => format === 'ndjson')) return new Map();
  const samples = await readSamples(inputs, flushInterval, world);
  const columnTypes = decideTypes(samples, mapping);
  const decided = { ...mapping, columnTypes, onZoneless: undefined };
  for (const sample of samples) requireColumns(sample, decided);
  if (!preflight) return columnTypes;
  const check = checkSamples(samples, decided);
  if (check.records >= FEWEST && check.rejected * 2 > check.records)
    throw new PreflightFailed(samples, check);
  return columnTypes;
}

/** Reads the sample of each input. */
export async function readSamples(
  inputs: Inputs,
  wait: number,
  { clock, stop }: Pick<ImportWorld, 'clock' | 'stop'>,
): Promise<Sample[]> {
  const share = inputs.opened.length > MANY ? MANY : 1;
  const limits = { records: SAMPLE.records / share, bytes: SAMPLE.bytes / share };
  const samples: Sample[] = [];
  for (let index = 0; index < inputs.opened.length && !stop.aborted; index++)
    samples.push(await inputs.sample(index, limits, { wait, clock, signal: stop }));
  return samples;
}
