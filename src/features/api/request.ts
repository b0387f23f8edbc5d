import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { fileBytes } from '../../cli/input/input-bytes.ts';
import { stdinChunks } from '../../cli/input/stdin.ts';
import type { World } from '../../cli/terminal/world.ts';
import { HEADERS } from '../../contract/headers.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';
import { type Field, filesOf, objectOf, queryOf } from './fields.ts';

/** Headers that svc itself sets: a key never comes in a flag, and the connection is not the caller's. */
const OWN: ReadonlySet<string> = new Set([
  HEADERS.authorization,
  HEADERS.workspace,
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
]);

/** Reads `Name: value` headers; names in lower case. Throws usage. */
export function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new SvcError('usage', `${JSON.stringify(text)} is no header`, {
          hint: "give one as -H 'Name: value'",
        });
      if (OWN.has(name.toLowerCase()))
        throw new SvcError('usage', `the header ${name} is set by svc itself`, {
          hint: 'the key and the workspace come from the profile or the environment',
        });
      return [name.toLowerCase(), value];
    }),
  );
}

/** The body of a request: a file's or standard input's bytes, else the fields as JSON, else none. Throws usage, file, interrupted. */
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
      if (bytes > MOST_BYTES) throw tooLarge('standard input');
    }
    return Buffer.concat(chunks);
  }
  if (input !== undefined) return readFile(world, input);
  const contents = new Map<string, string>();
  for (const file of filesOf(fields)) contents.set(file, (await readFile(world, file)).toString('utf8'));
  return fields.length === 0
    ? undefined
    : JSON.stringify(objectOf(fields, (file) => contents.get(file) as string));
}

/** Adds fields to a path's query. */
export function withQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(queryOf(fields))}`;
}

/** The service takes less; what it says of more is worth seeing, a full memory is not. */
const MOST_BYTES = 8 * MAX_BODY_BYTES;

async function readFile(world: World, name: string): Promise<Buffer> {
  const content = await fileBytes(name, world, MOST_BYTES);
  if (content.length > MOST_BYTES) throw tooLarge(name);
  return content;
}

function tooLarge(what: string): SvcError {
  return new SvcError('file', `${what} is larger than 64 MiB, and a request holds 8 MiB`, {
    hint: 'send records with `svc events import`',
  });
}
