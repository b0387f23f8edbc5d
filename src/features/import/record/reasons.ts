import type { NamedViolation } from '../../../contract/event-plan.ts';
import type { Reject } from './reject.ts';
import type { FixingFlag } from './validation-errors.ts';

/** Maximum number of fields that are counted one by one, and that are reported. */
const MAX_COUNTED = 100;
const MAX_REPORTED = 5;

/** Kinds of violations of a plan that are counted one by one. */
const MAX_VIOLATIONS = 500;

/** How often events of one name do something against the plan. */
export interface ViolationCount extends NamedViolation {
  readonly count: number;
}

/** Bytes that are kept of records that are not UTF-8. */
const MAX_UNDECODED = 16 * 1024;

/** An input some of whose records were rejected. */
export interface RejectedFile {
  readonly name: string;
  readonly count: number;
  /** Those whose exact bytes are in the rejects file because they are not UTF-8. */
  readonly undecoded: number;
}

/** Counts why records were rejected, by the first invalid field, in bounded memory. */
export class Reasons {
  private readonly counts = new Map<string, number>();
  private total = 0;
  private fixable = 0;
  private readonly flags = new Set<FixingFlag>();
  /** The bytes of the first records that are not UTF-8. */
  readonly undecoded: Buffer[] = [];
  private kept = 0;
  private readonly byViolation = new Map<string, NamedViolation & { count: number }>();
  private otherViolations = 0;
  private readonly byFile = new Map<string, { count: number; undecoded: number }>();

  add(rejects: readonly Reject[]): void {
    for (const { field, fixableBy, file, rawBase64, violations = [] } of rejects) {
      this.total++;
      for (const violation of violations) this.violate(violation);
      const counted = this.byFile.get(file) ?? { count: 0, undecoded: 0 };
      counted.count++;
      if (rawBase64 !== undefined) {
        counted.undecoded++;
        this.keep(rawBase64);
      }
      if (this.byFile.has(file) || this.byFile.size < MAX_COUNTED) this.byFile.set(file, counted);
      const known = this.counts.get(field);
      if (known !== undefined || this.counts.size < MAX_COUNTED) this.counts.set(field, (known ?? 0) + 1);
      if (fixableBy === undefined) continue;
      this.fixable++;
      for (const flag of fixableBy) this.flags.add(flag);
    }
  }

  private violate(violation: NamedViolation): void {
    const key = JSON.stringify(violation);
    const known = this.byViolation.get(key);
    if (known) known.count++;
    else if (this.byViolation.size < MAX_VIOLATIONS) this.byViolation.set(key, { ...violation, count: 1 });
    else this.otherViolations++;
  }

  /** What events do against `--plan`, the most frequent first, and the number of those beyond the limit. */
  get violations(): { readonly counts: readonly ViolationCount[]; readonly others: number } {
    const counts = [...this.byViolation.values()].sort((a, b) => b.count - a.count);
    return { counts, others: this.otherViolations };
  }

  private keep(rawBase64: string): void {
    if (this.kept >= MAX_UNDECODED) return;
    const bytes = Buffer.from(rawBase64, 'base64');
    this.kept += bytes.length + 1;
    // So that words of two records do not touch.
    this.undecoded.push(bytes, Buffer.from('\n'));
  }

  /** The columns that would have to be text, and the number of records rejected for each. */
  get textColumns(): readonly (readonly [column: string, count: number])[] {
    return [...this.flags].flatMap((flag) => {
      const column = /^text:(.*)$/s.exec(flag)?.[1];
      return column === undefined ? [] : [[column, this.counts.get(`properties.${column}`) ?? 0] as const];
    });
  }

  /** The fields that were invalid most often, and the number of records rejected for other fields. */
  top(): { readonly fields: readonly (readonly [field: string, count: number])[]; readonly others: number } {
    const fields = [...this.counts].sort(([, a], [, b]) => b - a).slice(0, MAX_REPORTED);
    return { fields, others: this.total - fields.reduce((sum, [, count]) => sum + count, 0) };
  }

  /** The inputs with rejected records. */
  get files(): readonly RejectedFile[] {
    return [...this.byFile].map(([name, counted]) => ({ name, ...counted }));
  }

  /** The flags with which all records would be valid; empty if some would not. */
  get fixableBy(): readonly FixingFlag[] {
    if (this.fixable !== this.total) return [];
    // Dropping unknown fields includes those that could become properties.
    return [...this.flags].filter((flag) => flag !== 'extra-fields' || !this.flags.has('drop-fields'));
  }
}
