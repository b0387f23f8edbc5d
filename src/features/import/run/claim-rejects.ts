import { resolve } from 'node:path';
import { differences } from '../deliver/differences.ts';
import { RejectsTaken } from '../deliver/import-refused.ts';
import { RejectsClaim } from '../deliver/rejects-claim.ts';
import { numbered } from '../deliver/rejects-file.ts';
import type { ImportOptions } from './options.ts';

/** Returns the path of the rejects file as it is named now: the earlier run may have been in another folder. */
export function asTyped(path: string, { name, rejects, rejectsNamed }: ImportOptions): string {
  const names = rejectsNamed
    ? [rejects]
    : Array.from({ length: MAX_REJECTS }, (_, n) => numbered(rejects, n + 1));
  return names.find((typed) => path === resolve(name.cwd, typed)) ?? path;
}

/** Maximum number of imports that have a rejects file beside one input. */
const MAX_REJECTS = 100;

/** The paths that the rejects file may have: that of the earlier run, and the first that no other import has. */
export function rejectsPaths(options: ImportOptions, earlier: string | undefined): string[] {
  const { rejects, rejectsNamed } = options;
  if (rejectsNamed) return [rejects];
  const all = Array.from({ length: MAX_REJECTS }, (_, n) => numbered(rejects, n + 1));
  const before = earlier === undefined ? undefined : asTyped(earlier, options);
  return before !== undefined && all.includes(before) ? [before, ...all] : all;
}

/** Claims the first of the rejects files that belongs to no other import. Throws RejectsTaken. */
export async function claimOne(
  paths: readonly string[],
  text: string,
  { name, claims, journal }: ImportOptions,
  replaced?: string,
): Promise<{ claim: RejectsClaim; rejects: string }> {
  let taken: RejectsTaken | undefined;
  for (const rejects of paths) {
    const claim = new RejectsClaim(claims, resolve(name.cwd, rejects), resolve(journal), text);
    const other = await claim.take(replaced);
    if (!other) return { claim, rejects };
    const { unfinished } = other;
    const found = unfinished?.options === undefined ? [] : differences(unfinished.options, text);
    const state = !unfinished ? 'ended' : unfinished.options === undefined ? 'running' : 'unfinished';
    taken ??= new RejectsTaken(rejects, state, found);
  }
  throw taken!;
}
