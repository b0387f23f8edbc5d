import { validate } from '../../contract/validation.ts';
import { type Catalog, toCatalog } from './catalog.ts';
import { CatalogFile } from './schema.ts';

/** One fault of a catalogue file: where it is, such as `contents[2].format`, and what is wrong. */
export interface CatalogFault {
  readonly path: string;
  readonly message: string;
}

/** Thrown for a catalogue that cannot be used; names every fault with its path. */
export class CatalogError extends Error {
  readonly faults: readonly CatalogFault[];

  constructor(faults: readonly CatalogFault[]) {
    super(faults.map(({ path, message }) => `${path} ${message}`).join('\n'));
    this.name = 'CatalogError';
    this.faults = faults;
  }
}

/** Most bytes of a catalogue file: every process keeps it, and reads it again at each change. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Most pairs of an event and a number of days that the rules of all contents ask about: a decision counts each. */
const MOST_WINDOWS = 64;

/** Reads the text of a catalogue file. Throws CatalogError with the path of each fault. */
export function parseCatalog(text: string): Catalog {
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw new CatalogError([{ path: 'the file', message: 'is larger than 16 MiB' }]);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CatalogError([{ path: 'the file', message: `is not JSON: ${(error as Error).message}` }]);
  }
  const checked = validate(CatalogFile, value);
  if (!checked.ok) {
    throw new CatalogError(
      checked.issues.map((issue, i) => {
        const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
        return { path: pathOf([...issue.path, ...unknown]), message: checked.details[i]!.message };
      }),
    );
  }
  const faults = [
    ...repeats(checked.value.contents, 'contents', 'contentId'),
    ...repeats(checked.value.templates ?? [], 'templates', 'templateId'),
    ...checked.value.contents.flatMap(endsBeforeItStarts),
  ];
  if (faults.length > 0) throw new CatalogError(faults);
  const catalogue = toCatalog(checked.value);
  if (catalogue.windows.length > MOST_WINDOWS) {
    const message = `ask about over ${MOST_WINDOWS} different pairs of event and withinDays: let contents share some`;
    throw new CatalogError([{ path: 'contents', message }]);
  }
  return catalogue;
}

function pathOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path)
    text += typeof part === 'number' ? `[${part}]` : `${text ? '.' : ''}${String(part)}`;
  return text || 'the file';
}

function repeats<K extends string>(
  entries: readonly Record<K, string>[],
  list: string,
  key: K,
): CatalogFault[] {
  const seen = new Map<string, number>();
  return entries.flatMap((entry, i) => {
    const first = seen.get(entry[key]);
    seen.set(entry[key], first ?? i);
    return first === undefined
      ? []
      : [{ path: `${list}[${i}].${key}`, message: `is the same as that of ${list}[${first}]` }];
  });
}

function endsBeforeItStarts(content: CatalogFile['contents'][number], i: number): CatalogFault[] {
  const { activeFrom, activeUntil } = content;
  if (!activeFrom || !activeUntil || Date.parse(activeFrom) < Date.parse(activeUntil)) return [];
  return [{ path: `contents[${i}].activeUntil`, message: 'must be later than activeFrom' }];
}
