import { cellsOf, namesText } from '../formats/csv/csv-rows.ts';
import { OPTIONS, type Option } from '../option-table/table.ts';
import { MappingDocument, VERSION } from './document.ts';

/** Flags by their names. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** How a key of the document stands for a flag: by its text, its presence, a list, or `name=value` pairs. */
type Kind = 'text' | 'true' | 'false' | 'columns' | 'list' | 'pairs';

/** The flag of each key, in the order of the document. */
const KEYS: readonly (readonly [key: string, flag: string, kind: Kind])[] = Object.keys(
  MappingDocument.shape,
).flatMap((key) => {
  const option = OPTIONS.find(({ flag }) => keyOf(flag) === key);
  return option ? [[key, option.flag, kindOf(option)] as const] : [];
});

/** The key of a flag: `--no-validate` is `validate`. */
function keyOf(flag: string): string {
  return flag.replace(/^no-/, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function kindOf({ flag, type, multiple, sent }: Option): Kind {
  if (type === 'boolean') return flag.startsWith('no-') ? 'false' : 'true';
  return sent?.file ?? (multiple ? 'list' : 'text');
}

/** Returns the flags that a mapping stands for. */
export function flagsOf(document: MappingDocument): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const [key, flag, kind] of KEYS) {
    const value = document[key as keyof MappingDocument];
    if (value === undefined) continue;
    if (kind === 'text') flags[flag] = value;
    else if (kind === 'true') flags[flag] = value === true;
    else if (kind === 'false') flags[flag] = value === false;
    else if (kind === 'columns') flags[flag] = namesText(value as string[]);
    else if (kind === 'list') flags[flag] = [value].flat();
    else
      flags[flag] = Object.entries(value as Record<string, string | string[]>).flatMap(([name, given]) =>
        // The alternatives of a field are one --map; the values of a field are one --where each.
        (flag === 'where' ? [given].flat() : [[given].flat().join(',')]).map((one) => `${name}=${one}`),
      );
  }
  return flags;
}

/** Combines flags with those of a file, which they override: by the name of each pair, else as a whole. */
export function mergedFlags(file: FlagValues, given: FlagValues): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...file };
  for (const [flag, value] of Object.entries(given)) {
    if (value === undefined || (value === false && file[flag] !== undefined)) continue;
    merged[flag] = value;
  }
  for (const [, flag, kind] of KEYS) {
    const [before, now] = [file[flag], given[flag]] as (string[] | undefined)[];
    if (kind !== 'pairs' || !before || !now) continue;
    const names = new Set(now.map((pair) => splitPair(pair)[0]));
    merged[flag] = [...before.filter((pair) => !names.has(splitPair(pair)[0])), ...now];
  }
  // A constant of the file gives way to a column that a flag names.
  const targets = new Set(((given.map ?? []) as string[]).map((pair) => splitPair(pair)[0]));
  const own = new Set((given.set ?? []) as string[]);
  if (merged.set && targets.size > 0)
    merged.set = (merged.set as string[]).filter((pair) => own.has(pair) || !targets.has(splitPair(pair)[0]));
  return merged;
}

/** Returns the mapping that stands for flags; flags that it has no key for are left out. */
export function documentOf(flags: FlagValues): MappingDocument {
  const document: Record<string, unknown> = { $schema: SCHEMA, version: VERSION };
  for (const [key, flag, kind] of KEYS) {
    const value = flags[flag];
    if (value === undefined || value === false) continue;
    if (kind === 'pairs') {
      const pairs = (value as string[]).map((pair) => splitPair(pair));
      const names = [...new Set(pairs.map(([name]) => name))];
      document[key] = Object.fromEntries(
        names.map((name) => {
          const values = pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
          return [name, values.length === 1 ? values[0] : values];
        }),
      );
    } else if (kind === 'columns')
      document[key] = cellsOf(value as string, ',', (value as string).includes('"'));
    else document[key] = kind === 'false' ? false : value;
  }
  return document as MappingDocument;
}

/** The address of the schema that a mapping file names. */
const SCHEMA = 'https://raw.githubusercontent.com/svc-cli/svc/main/docs/mapping.schema.json';

function splitPair(pair: string): [name: string, value: string] {
  const at = pair.replace(/\\./gs, '..').indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}
