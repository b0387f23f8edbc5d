import { readUtf8 } from '../../../kit/utf8-text.ts';
import { MappingDocument, VERSION } from './document.ts';
import { SOURCES } from './sources.ts';

/** Why a mapping cannot be used. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
}

/** Reads a mapping file. Throws a MappingError, or the error of the file system. */
export function readMapping(path: string): MappingDocument {
  const text = readUtf8(path).replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MappingError('is not valid JSON');
  }
  return checkMapping(value);
}

/** Returns the mapping of a source that ships with svc; undefined if there is none of that name. */
export function sourceMapping(name: string): MappingDocument | undefined {
  return Object.hasOwn(SOURCES, name) ? checkMapping(SOURCES[name]) : undefined;
}

function checkMapping(value: unknown): MappingDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MappingError('is not a JSON object');
  const { version } = value as { version?: unknown };
  if (version === undefined) throw new MappingError(`lacks "version": ${VERSION}`);
  if (version !== VERSION)
    throw new MappingError(`has version ${JSON.stringify(version)}; this svc reads version ${VERSION}`);
  const result = MappingDocument.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const place = [...(issue?.path ?? []), ...keys.slice(0, 1)].map(String).join('.').slice(0, 200);
  throw new MappingError(
    keys.length > 0 ? `has the unknown key ${place}` : `has an invalid value at ${place}`,
  );
}
