import type { Reading } from '../formats/reading.ts';
import { ruleText, simpleRule } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { RecordKind } from '../record/record-kind.ts';
import type { Shard } from '../record/shard.ts';

/** What the options that determine what is sent are parsed to. */
export interface Parts {
  readonly input: {
    readonly shard: Shard | undefined;
    readonly batchSize: number;
    readonly limit: number | undefined;
  };
  readonly reading: Reading;
  readonly mapping: Omit<Mapping, 'kind' | 'columnTypes' | 'onZoneless' | 'sourceIds' | 'unsentIds'>;
}

/** What the meaning of a flag may depend on: the kind of the records, and the time zone and format that other flags name. */
export interface Given {
  readonly kind: RecordKind;
  readonly zone: string;
  readonly format: string | undefined;
}

/** An option that determines what is sent: it is in the journal, as `--resume` must not go on with another value. */
export interface Sent {
  readonly part: keyof Parts;
  /** Its name in `part` and in the journal. */
  readonly key: string;
  /** Parses the value of the flag. Throws a `usage` error. */
  readonly parse: (value: unknown, given: Given) => unknown;
  /** The parsed value as JSON for the journal. */
  readonly journal: (value: unknown) => unknown;
  /** The words that type a value of the journal. */
  readonly again: (flag: string, journaled: unknown) => string[];
  /** How a mapping file writes it, if not as its definition says: the names of columns, or `name=value` pairs. */
  readonly file: 'columns' | 'pairs' | undefined;
}

/** What a flag of the table does to what is sent; it has exactly one of these. */
export interface Effect {
  readonly sent?: Sent;
  /** The keys of the options that contain its value. */
  readonly within?: readonly (keyof Parts['mapping'])[];
  /** What it changes instead of what is sent: the reason why it is not in the journal. */
  readonly unsent?: string;
}

/** Marks a flag as parsed to `key` of `part`. */
export function sent<P extends keyof Parts, K extends keyof Parts[P] & string, F, J>(
  part: P,
  key: K,
  parse: (value: F, given: Given) => Parts[P][K],
  how: {
    readonly journal?: (value: Parts[P][K]) => unknown;
    readonly again?: (flag: string, journaled: J) => string[];
    readonly file?: Sent['file'];
  } = {},
): { readonly sent: Sent } {
  const { journal = listed, again = typed, file } = how;
  return { sent: { part, key, parse, journal, again, file } as Sent };
}

/** Writes a set or map as a list. */
function listed(value: unknown): unknown {
  return value instanceof Set || value instanceof Map ? [...value] : value;
}

/** Types a flag with a value, without one, or once for each text or pair of a list. */
function typed(flag: string, journaled: unknown): string[] {
  if (journaled === true) return [flag];
  return [journaled].flat().flatMap((one) => [flag, Array.isArray(one) ? one.join('=') : String(one)]);
}

export const within = (...keys: (keyof Parts['mapping'])[]): Effect => ({ within: keys });
export const unsent = (reason: string): Effect => ({ unsent: reason });

export type Texts = readonly string[] | undefined;

/** The parser of a flag that is used as it is. */
export const as = <T>(value: T): T => value;
export const setOf = (given: Texts): ReadonlySet<string> | undefined => given && new Set(given);

/** A rule of `--map`: its only column or all of its sources, and its target. */
export type JournaledRule = [string | string[][], string];
export const journaledRuleText = ([column, target]: JournaledRule): string =>
  ruleText(typeof column === 'string' ? simpleRule(target, column) : { target, sources: column });
export const zoneWords = (zone: string): string[] => (zone === 'UTC' ? [] : ['--time-zone', zone]);
