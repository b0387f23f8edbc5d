import type { Findings } from '../guess/findings.ts';
import { isTimeOpen } from '../guess/trial.ts';
import type { Extent } from './inspection.ts';

/** What was read of the inputs. */
interface Through {
  readonly rows: number;
  readonly exact: boolean;
  readonly times: { readonly first: string | null; readonly last: string | null };
}

/** The extent of the inputs: as they were read, else as the samples let expect. */
export function extentOf({ samples, suggestion }: Findings, through: Through | undefined): Extent {
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
