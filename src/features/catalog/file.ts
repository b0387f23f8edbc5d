import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { inputBytes, textOf } from '../../cli/input/input-bytes.ts';
import type { World } from '../../cli/terminal/world.ts';
import { isMembers, type Members } from '../../contract/catalog-changes.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';

/** The argument that names a catalog file. */
export const catalogFileArg = Args.string({
  required: true,
  description: 'catalog file, or what `svc catalog get --json` printed; standard input for -',
});

/** Flags of a change. */
export const changeFlags = {
  author: Flags.string({ summary: 'who makes the change, as the versions show it', helpValue: 'NAME' }),
  note: Flags.string({ summary: 'what the change is for', helpValue: 'TEXT' }),
};

/** A catalog as it was read. */
export interface GivenCatalog {
  readonly catalog: Members;
  /** The version that `catalog get --json` printed with it; undefined without one. */
  readonly version: number | undefined;
}

/** Reads a catalog, alone or beside its version as `catalog get --json` prints it. Throws file, interrupted. */
export async function readCatalog(file: string, world: World): Promise<GivenCatalog> {
  const bytes = await inputBytes(file, world, MAX_BODY_BYTES);
  const refuse = (what: string, hint: string) => new SvcError('file', `${file} ${what}`, { hint });
  if (bytes.length > MAX_BODY_BYTES)
    throw refuse('is larger than 8 MiB', 'remove what no longer belongs to the catalog');
  const text = textOf(file, bytes).replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(
      `is not JSON: ${(error as Error).message}`,
      'correct it; docs/catalog.md describes the file',
    );
  }
  if (!isMembers(value)) throw refuse('is not a JSON object', 'docs/catalog.md describes the file');
  const { catalog, version } = value;
  if (Object.hasOwn(value, 'contents') || !isMembers(catalog)) return { catalog: value, version: undefined };
  return { catalog, version: typeof version === 'number' ? version : undefined };
}
