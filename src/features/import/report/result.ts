import type { TimeSpan } from '../deliver/time-span.ts';
import type { InputFacts } from '../formats/input-facts.ts';
import { unitOf } from '../mapping/amounts.ts';
import { onlyColumn } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { CellType } from '../record/cell-type.ts';
import { type Counters, imbalance } from '../record/counters.ts';
import type { Reasons, ViolationCount } from '../record/reasons.ts';
import { FIELDS, FREE_PART } from '../record/record-kind.ts';

/** Counts of the client's requests. */
export interface Traffic {
  readonly requests: number;
  readonly retries: number;
  readonly rateLimited: number;
  /** Requests that the service allows per window; null if no answer contained a limit. */
  readonly rateLimit: number | null;
  /** How long requests waited for that limit alone. */
  readonly heldBackMs: number;
}

/** The result of an import, which is always printed (docs/reference/output.md). */
export interface ImportResult extends Traffic {
  readonly files: number;
  readonly read: number;
  readonly accepted: number;
  /** Of the accepted ones, events whose `eventId` is repeated, which the service did not store again. */
  readonly duplicates: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly unsent: number;
  /** Records that `--where` left out; they are not in `read`. */
  readonly filtered: number;
  readonly batches: number;
  /** Bytes of request bodies. */
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  readonly rejectsFile: string | null;
  readonly resumeCommand: string | null;
  /** Hash of the input file; null for several inputs, for a shard, and if it was not read to its end. */
  readonly sha256: string | null;
  /** Of the valid records that were read; null if there are none, and for users. */
  readonly firstTimestamp: string | null;
  readonly lastTimestamp: string | null;
  /** The types of the columns that become properties; empty for JSON. */
  readonly types: Readonly<Record<string, CellType>>;
  /** With `--plan`: what rejected events do against it, and the number of those that are not listed. */
  readonly violations?: readonly ViolationCount[];
  readonly otherViolations?: number;
}

/** Makes the result from the counters. */
export function resultOf(
  counters: Counters,
  traffic: Traffic,
  times: TimeSpan,
  mapping: Mapping,
  rest: Pick<ImportResult, 'files' | 'elapsedMs' | 'rejectsFile' | 'resumeCommand' | 'sha256'>,
): ImportResult {
  const { read, accepted, duplicates, rejected, skipped, unsent, filtered, batches, bytes, reasons } =
    counters;
  const { files, elapsedMs, rejectsFile, resumeCommand, sha256 } = rest;
  const seconds = elapsedMs / 1000;
  return {
    files,
    read,
    accepted,
    duplicates,
    rejected,
    skipped,
    unsent,
    batches,
    ...traffic,
    bytes,
    elapsedMs: Math.round(elapsedMs),
    eventsPerSecond: seconds > 0 ? Math.round(accepted / seconds) : 0,
    rejectsFile,
    resumeCommand,
    sha256,
    filtered,
    firstTimestamp: times.first,
    lastTimestamp: times.last,
    types: typesOf(mapping),
    ...(mapping.plan && {
      violations: reasons.violations.counts,
      otherViolations: reasons.violations.others,
    }),
  };
}

/** The types of the columns that become properties, by the sample or by flags. */
function typesOf({ kind, columnTypes, types, map, drop }: Mapping): Record<string, CellType> {
  const isField = (name: string) => FIELDS[kind].includes(name) || name === FREE_PART[kind];
  const targets = new Map(map.map((rule) => [onlyColumn(rule), rule.target]));
  const properties = [...(columnTypes ?? [])].filter(
    ([name]) => name !== '' && !drop?.has(name) && !isField(targets.get(name) ?? name),
  );
  const given = [...types].map(
    ([name, type]) => [name, unitOf(type) === undefined ? type : 'number'] as const,
  );
  return Object.fromEntries([...properties, ...given]) as Record<string, CellType>;
}

/** The counters do not add up. */
export class CountMismatch extends Error {
  constructor(counters: Counters) {
    super(`This is a bug: ${imbalance(counters)}.`);
    this.name = 'SumError';
  }
}

/** The outcome of an import: its result, and what stopped it if something did. */
export interface ImportEnd {
  readonly result: ImportResult;
  /** Why records were rejected. */
  readonly reasons: Reasons;
  /** Describes an input by its name. */
  readonly factsOf: (file: string) => InputFacts | undefined;
  /** It stopped before the end of the inputs: `read` is less than the number of their records. */
  readonly unread: boolean;
  readonly failure: { readonly error: unknown } | undefined;
  readonly interrupted: boolean;
  /** `--max-errors` was reached. */
  readonly tooManyErrors: boolean;
}
