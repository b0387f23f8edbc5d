/** An option with another value in an earlier run. */
export interface Difference {
  /** As in `optionsText`. */
  readonly name: string;
  /** The earlier value; null, false or empty if it was not given. */
  readonly before: unknown;
}

/** Lists the options that differ between an earlier run and this one. */
export function differences(before: string, now: string): Difference[] {
  const earlier = JSON.parse(before) as Record<string, unknown>;
  const present = JSON.parse(now) as Record<string, unknown>;
  return Object.keys({ ...earlier, ...present })
    .filter((name) => JSON.stringify(earlier[name] ?? null) !== JSON.stringify(present[name] ?? null))
    .map((name) => ({ name, before: earlier[name] }));
}

/** Options that identify the import. If they differ, `--checkpoint` names the journal of another import. */
const IDENTITY: ReadonlySet<string> = new Set(['kind', 'inputs', 'baseUrl', 'workspace']);

/** Returns whether the differences are those between two imports, rather than between two runs of one. */
export function areDifferentImports(found: readonly Difference[]): boolean {
  return found.some(({ name }) => IDENTITY.has(name));
}
