import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { fileBytes, textOf } from '../../cli/input/input-bytes.ts';
import { stdinChunks } from '../../cli/input/stdin.ts';
import type { World } from '../../cli/terminal/world.ts';
import { HEADERS } from '../../contract/headers.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';
import { type Field, filesOf, objectOf, queryOf } from './fields.ts';

/** Headers that svc sets: keys are never passed in flags, and svc manages the connection. */
const RESERVED: ReadonlySet<string> = new Set([
  HEADERS.authorization,
  HEADERS.workspace,
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
]);

/** Parses `Name: value` headers; names become lower case. Throws usage. */
export function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new SvcError('usage', `${JSON.stringify(text)} is not a header`, {
          hint: "write headers as -H 'Name: value'",
        });
      if (RESERVED.has(name.toLowerCase()))
        throw new SvcError('usage', `svc sets the header ${name}`, {
          hint: 'omit it; the key and the workspace come from the profile or the environment',
        });
      return [name.toLowerCase(), value];
    }),
  );
}

/**
 * Reads the body of a request: the bytes of a file or of standard input, or the fields as JSON. Resolves with undefined
 * if there is neither. Throws usage, file, interrupted.
 */
export async function bodyOf(
  { world }: Pick<Context, 'world'>,
  { input, fields }: { input: string | undefined; fields: readonly Field[] },
): Promise<string | Uint8Array | undefined> {
  if (input === '-') {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stdinChunks(world)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_INPUT_BYTES) throw tooLarge('standard input');
    }
    return Buffer.concat(chunks);
  }
  if (input !== undefined) return readFile(world, input);
  const contents = new Map<string, string>();
  for (const file of filesOf(fields)) contents.set(file, textOf(file, await readFile(world, file)));
  return fields.length === 0
    ? undefined
    : JSON.stringify(objectOf(fields, (file) => contents.get(file) as string));
}

/** Adds fields to a path's query. */
export function withQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(queryOf(fields))}`;
}

/** More than the service accepts, so that its answer to a large body can be seen; limits the memory used. */
const MAX_INPUT_BYTES = 8 * MAX_BODY_BYTES;

async function readFile(world: World, name: string): Promise<Buffer> {
  const content = await fileBytes(name, world, MAX_INPUT_BYTES);
  if (content.length > MAX_INPUT_BYTES) throw tooLarge(name);
  return content;
}

function tooLarge(source: string): SvcError {
  return new SvcError(
    'file',
    `${source} is larger than 64 MiB; the service accepts at most 8 MiB per request`,
    {
      hint: 'send records with `svc events import`',
    },
  );
}
