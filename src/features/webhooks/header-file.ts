import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { fileText } from '../../cli/input/input-bytes.ts';
import { readStdin } from '../../cli/input/prompt.ts';
import type { World } from '../../cli/terminal/world.ts';

const MAX_BYTES = 16_384;

/** The flag for static headers. Their values may be secret, so none is an argument. */
export const headerFlag = {
  'header-file': Flags.string({
    summary:
      'file with headers that each delivery has, a line `Name: value` each, or - for standard input; an empty file removes them',
    helpValue: 'FILE|-',
  }),
};

/** Reads static headers from a file (`-` is standard input). Throws `file`, and `usage` with the line, never with a value. */
export async function readHeaders(world: World, file: string): Promise<Record<string, string>> {
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
