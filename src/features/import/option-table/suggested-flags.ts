import type { Flag } from '../guess/flag.ts';
import type { MappingFlags } from './flags.ts';
import { OPTIONS } from './table.ts';

/** Returns the flags typed with those that are suggested. */
export function withFlags(flags: MappingFlags, more: readonly Flag[]): MappingFlags {
  const merged: Record<string, unknown> = { ...flags };
  for (const [name, value] of more) {
    const before = merged[name];
    if (value === undefined) merged[name] = true;
    else if (Array.isArray(before) || REPEATED.has(name))
      merged[name] = [...((before as string[]) ?? []), value];
    else merged[name] = value;
  }
  return merged as unknown as MappingFlags;
}

const REPEATED: ReadonlySet<string> = new Set(
  OPTIONS.filter(({ multiple }) => multiple).map(({ flag }) => flag),
);
