import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { fileText } from '../../cli/input/input-bytes.ts';
import { readStdin } from '../../cli/input/prompt.ts';
import type { Output } from '../../cli/terminal/output.ts';
import type { World } from '../../cli/terminal/world.ts';

const MAX_BYTES = 16_384;

/** The flags for static headers. A value may be a secret, which is better given in a file. */
export const headerFlag = {
  header: Flags.string({
    summary: 'header that each delivery has; a secret value belongs into --header-file',
    multiple: true,
    helpValue: 'NAME=VALUE',
  }),
  'header-file': Flags.string({
    summary:
      'file with headers that each delivery has, a line `Name: value` each, or - for standard input; an empty file removes them',
    helpValue: 'FILE|-',
  }),
};

interface HeaderFlags {
  readonly header?: readonly string[] | undefined;
  readonly 'header-file'?: string | undefined;
}

/** The static headers of both flags; undefined without any. Throws `file` and `usage`, never with a value. */
export async function headersOf(
  { header, 'header-file': file }: HeaderFlags,
  world: World,
  out: Output,
): Promise<Record<string, string> | undefined> {
  if (header === undefined && file === undefined) return undefined;
  const read = file === undefined ? {} : await readHeaders(world, file);
  const typed = (header ?? []).map((text, i) => {
    const [, name, value] = /^([^\s:=]+)(?:=|:[ \t]*)(.*?)[ \t]*$/.exec(text) ?? [];
    if (name === undefined || !value)
      throw new SvcError('usage', `header ${i + 1} is not of the form NAME=VALUE`, {
        hint: 'write it as --header X-Tenant=shop',
      });
    return [name, value] as const;
  });
  if (typed.length > 0)
    out.warn('values in --header can be seen by other users of this machine: give secrets in --header-file');
  const names = [...Object.keys(read), ...typed.map(([name]) => name)].map((name) => name.toLowerCase());
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new SvcError('usage', `the header ${twice} is there twice`, { hint: 'name it once' });
  return { ...read, ...Object.fromEntries(typed) };
}

/** Reads static headers from a file (`-` is standard input). Throws `file`, and `usage` with the line, never with a value. */
async function readHeaders(world: World, file: string): Promise<Record<string, string>> {
  const text = file === '-' ? await readStdin(world, MAX_BYTES) : await fileText(file, world, MAX_BYTES);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new SvcError('usage', `the headers are larger than ${MAX_BYTES / 1024} KiB`, {
      hint: 'name a file with lines such as X-Gateway-Key: …',
    });
  const headers: [string, string][] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    const known = headers.some(([each]) => each.toLowerCase() === name?.toLowerCase());
    if (name === undefined || !value || known)
      throw new SvcError(
        'usage',
        known
          ? `line ${index + 1} of the headers names ${name} again`
          : `line ${index + 1} of the headers is not of the form Name: value`,
        { hint: 'write a line such as X-Gateway-Key: … for each header' },
      );
    headers.push([name, value]);
  }
  // A pipe that broke is empty too.
  if (file === '-' && headers.length === 0)
    throw new SvcError('usage', 'standard input has no headers', {
      hint: 'to remove all headers, name an empty file: --header-file empty.txt',
    });
  return Object.fromEntries(headers);
}
