import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { inputBytes } from '../../cli/input/input-bytes.ts';
import type { World } from '../../cli/terminal/world.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';

export const catalogFileArg = Args.string({
  required: true,
  description: 'catalog file, or what `svc catalog get --json` printed; standard input for -',
});

/** Flags of a change. */
export const changeFlags = {
  author: Flags.string({ summary: 'who makes the change, as the versions show it', helpValue: 'NAME' }),
  note: Flags.string({ summary: 'what the change is for', helpValue: 'TEXT' }),
};

export interface GivenCatalog {
  readonly catalog: Record<string, unknown>;
  /** The version that it was printed with; undefined for a catalog alone. */
  readonly version: number | undefined;
}

/** Reads a catalog, alone or beside its version as `catalog get --json` prints it. Throws file, interrupted. */
export async function readCatalog(file: string, world: World): Promise<GivenCatalog> {
  const bytes = await inputBytes(file, world);
  const refuse = (what: string, hint: string) => new SvcError('file', `${file} ${what}`, { hint });
  if (bytes.length > MAX_BODY_BYTES)
    throw refuse('is larger than 8 MiB', 'remove what no longer belongs to the catalog');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('is not UTF-8 text', 'save it as UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(
      `is not JSON: ${(error as Error).message}`,
      'correct it; docs/catalog.md describes the file',
    );
  }
  const given = asObject(value);
  if (!given) throw refuse('is not a JSON object', 'docs/catalog.md describes the file');
  const inner = Object.hasOwn(given, 'contents') ? undefined : asObject(given.catalog);
  if (!inner) return { catalog: given, version: undefined };
  return { catalog: inner, version: typeof given.version === 'number' ? given.version : undefined };
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
