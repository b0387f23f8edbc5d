import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { type Catalog, type Entry, entriesOf, LISTS, type ListName, labelOf, textOf } from './schema.ts';

/** What a version changed of the one before it: which entries are new, withdrawn or changed, and in what. */
export function VersionChanges({ version }: { version: number }): VNode {
  const { value, error, reload } = useResource(`changes ${version}`, (signal) =>
    Promise.all(
      [version - 1, version].map((number) =>
        call('getCatalogVersion', { params: { version: String(number) }, signal }),
      ),
    ),
  );
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading what="both versions" />;
  const changes = changesOf(value[0]!.catalog as Catalog, value[1]!.catalog as Catalog);
  if (changes.length === 0) return <p class="note">Nothing: both are the same.</p>;
  return (
    <ul class="reasons" aria-label={`What version ${version} changed`}>
      {changes.map(({ name, words }) => (
        <li>
          <strong>
            <Text of={name} />
          </strong>
          : <Text of={words} />
        </li>
      ))}
    </ul>
  );
}

interface Change {
  readonly name: string;
  readonly words: string;
}

function changesOf(before: Catalog, after: Catalog): Change[] {
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return parts.flatMap((part) => {
    if (same(before[part], after[part])) return [];
    if (!(part in LISTS)) return [{ name: labelOf(part), words: 'changed' }];
    const list = part as ListName;
    const entries = (of: Catalog) =>
      new Map(entriesOf(of, list).map((entry) => [textOf(entry[LISTS[list].id]), entry]));
    const [old, next] = [entries(before), entries(after)];
    return [...new Set([...old.keys(), ...next.keys()])].flatMap((name) => {
      const words = entryWords(old.get(name), next.get(name));
      return words === undefined ? [] : [{ name, words }];
    });
  });
}

function entryWords(old: Entry | undefined, next: Entry | undefined): string | undefined {
  if (!old) return 'new';
  if (!next) return 'withdrawn';
  const fields = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (field) => !same(old[field], next[field]),
  );
  if (fields.length === 0) return undefined;
  const one = (field: string) => {
    const [was, is] = [old[field], next[field]];
    const short = [was, is].every((value) => typeof value !== 'object' && String(value ?? '').length <= 80);
    return short
      ? `${labelOf(field)} ${JSON.stringify(was ?? null)} → ${JSON.stringify(is ?? null)}`
      : labelOf(field);
  };
  return fields.map(one).join(', ');
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
