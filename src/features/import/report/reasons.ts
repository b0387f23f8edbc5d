import type { FixingFlag } from '../transform/validation-errors.ts';
import type { Reject } from './reject.ts';

/** Maximum number of fields that are counted one by one, and that are reported. */
const MAX_COUNTED = 100;
const MAX_REPORTED = 5;

/** Counts why records were rejected, by the first invalid field, in bounded memory. */
export class Reasons {
  private readonly counts = new Map<string, number>();
  private total = 0;
  private fixable = 0;
  private readonly flags = new Set<FixingFlag>();

  add(rejects: readonly Reject[]): void {
    for (const { field, fixableBy } of rejects) {
      this.total++;
      const known = this.counts.get(field);
      if (known !== undefined || this.counts.size < MAX_COUNTED) this.counts.set(field, (known ?? 0) + 1);
      if (fixableBy === undefined) continue;
      this.fixable++;
      for (const flag of fixableBy) this.flags.add(flag);
    }
  }

  /** The fields that were invalid most often, and the number of records rejected for other fields. */
  top(): { readonly fields: readonly (readonly [field: string, count: number])[]; readonly others: number } {
    const fields = [...this.counts].sort(([, a], [, b]) => b - a).slice(0, MAX_REPORTED);
    return { fields, others: this.total - fields.reduce((sum, [, count]) => sum + count, 0) };
  }

  /** The flags with which all records would be valid; empty if some would not. */
  get fixableBy(): readonly FixingFlag[] {
    if (this.fixable !== this.total) return [];
    // Dropping unknown fields includes those that could become properties.
    return [...this.flags].filter((flag) => flag !== 'extra-fields' || !this.flags.has('drop-fields'));
  }
}
