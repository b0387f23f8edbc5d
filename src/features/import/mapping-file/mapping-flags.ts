import { resolve } from 'node:path';
import { fileError } from '../../../cli/errors/file-error.ts';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { nearest } from '../../../kit/nearest.ts';
import { shell } from '../../../kit/shell.ts';
import type { MappingDocument } from './document.ts';
import { flagsOf, mergedFlags } from './flags.ts';
import { MappingError, readMapping, sourceMapping } from './load.ts';
import { SOURCES } from './sources.ts';

/**
 * Adds the flags of `--from` and `--mapping`. A flag overrides the file, and the file overrides the source. Throws a
 * `usage` or `file` error.
 */
export function withMappingFile<
  T extends { readonly from?: string | undefined; readonly mapping?: string | undefined },
>(flags: T, cwd: string): T & { readonly sourceIds: boolean } {
  const { from, mapping } = flags;
  const source: { map?: readonly string[] } = from === undefined ? {} : flagsOf(sourceNamed(from));
  let base: Record<string, unknown> = source;
  if (mapping !== undefined) base = mergedFlags(base, flagsOf(fileNamed(mapping, cwd)));
  const merged = mergedFlags(base, flags) as T & { map?: readonly string[] };
  const ids = source.map?.filter((rule) => rule.startsWith('eventId='));
  return { ...merged, sourceIds: ids?.some((rule) => merged.map?.includes(rule)) ?? false };
}

/** Returns the mapping of a source that ships with svc. Throws a `usage` error. */
export function sourceNamed(name: string): MappingDocument {
  const source = sourceMapping(name);
  if (source) return source;
  const close = nearest(
    Object.keys(SOURCES),
    (known) => [known, name.toLowerCase()],
    () => 3,
  );
  throw new SvcError('usage', `--from ${name} is not a known source`, {
    hint: close
      ? `did you mean --from ${close}? The list: svc events sources`
      : 'list them: svc events sources',
  });
}

function fileNamed(path: string, cwd: string) {
  try {
    return readMapping(resolve(cwd, path));
  } catch (error) {
    if (!(error instanceof MappingError)) throw fileError(path, error);
    throw new SvcError('usage', `the mapping file ${path} ${error.message}`, {
      hint: shell`compare it with docs/mapping.schema.json, or write a new one: svc events inspect FILE --save ${path}`,
      cause: error,
    });
  }
}
