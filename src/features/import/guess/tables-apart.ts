import { shell, shellPath } from '../../../kit/shell.ts';
import type { Sample } from '../formats/sample.ts';

/** Tables for which a command is printed. */
const MOST = 5;

/**
 * The commands that look at each of some tables of events alone, where the columns of the inputs differ: no mapping fits all of them.
 * Undefined where all have the same ones, and for other formats.
 */
export function tablesApart(samples: readonly Sample[]): readonly string[] | undefined {
  const tables = new Map<string, Sample>();
  for (const sample of samples) {
    if (!sample.header || sample.input.path === null) return undefined;
    const columns = JSON.stringify(sample.header);
    if (!tables.has(columns)) tables.set(columns, sample);
  }
  if (tables.size < 2) return undefined;
  const command = 'svc events inspect';
  return [...tables.values()].slice(0, MOST).map(({ input: { source } }) => {
    const { file, entry } = source;
    return entry
      ? `${shell`unzip -p ${file} ${entry.name}`} | ${command} -`
      : `${command} ${shellPath(file)}`;
  });
}
