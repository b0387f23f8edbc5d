import type { FixingFlag } from '../transform/validation-errors.ts';
import type { Reject } from './reject.ts';

/** Most fields that are counted one by one, and most that are told. */
const MOST_COUNTED = 100;
const MOST_TOLD = 5;

/** Why records of an import were rejected, counted: by the field named first, in bounded memory. */
export class Reasons {
  private readonly counts = new Map<string, number>();
  private total = 0;
  private mended = 0;
  private readonly flags = new Set<FixingFlag>();

  add(rejects: readonly Reject[]): void {
    for (const { field, fixableBy } of rejects) {
      this.total++;
      const known = this.counts.get(field);
      if (known !== undefined || this.counts.size < MOST_COUNTED) this.counts.set(field, (known ?? 0) + 1);
      if (fixableBy === undefined) continue;
      this.mended++;
      for (const flag of fixableBy) this.flags.add(flag);
    }
  }

  /** The fields at fault most often, and how many records are left over. */
  top(): { readonly fields: readonly (readonly [field: string, count: number])[]; readonly others: number } {
    const fields = [...this.counts].sort(([, a], [, b]) => b - a).slice(0, MOST_TOLD);
    return { fields, others: this.total - fields.reduce((sum, [, count]) => sum + count, 0) };
  }

  /** The flags under which every one of the records would be taken; none where some would not. */
  get fixableBy(): readonly FixingFlag[] {
    if (this.mended !== this.total) return [];
    // What drops fields drops all of them.
    return [...this.flags].filter((flag) => flag !== 'extra-fields' || !this.flags.has('drop-fields'));
  }
}
