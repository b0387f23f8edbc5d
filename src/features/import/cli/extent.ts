import type { Findings } from '../inspect/findings.ts';
import type { Extent } from '../inspect/inspection.ts';
import type { ReadThrough } from '../inspect/read-through.ts';
import { isTimeOpen } from '../inspect/trial.ts';

/** The extent of the inputs: as they were read, else as the samples let expect. */
export function extentOf({ samples, suggestion }: Findings, through: ReadThrough | undefined): Extent {
  if (through)
    return {
      rows: through.rows,
      rowsExact: through.exact,
      first: isTimeOpen(suggestion) ? null : through.times.first,
      last: isTimeOpen(suggestion) ? null : through.times.last,
    };
  const { time } = suggestion;
  let rows = 0;
  for (const { records, taken, whole, input } of samples) {
    const { size } = input;
    rows += whole || size === undefined ? records : Math.round((records * size) / Math.max(1, taken));
  }
  return {
    rows,
    rowsExact: samples.every(({ whole }) => whole),
    first: time?.first ?? null,
    last: time?.last ?? null,
  };
}
