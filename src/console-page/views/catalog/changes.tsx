import type { ComponentChildren, VNode } from 'preact';
import { type CatalogDifference, catalogDifferences } from '../../../contract/catalog-changes.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { counted } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';
import { Effect } from './effect.tsx';
import { type Catalog, type Entry, LISTS, type ListName, labelOf, TRANSLATIONS, textOf } from './schema.ts';

/** What a version changed of the one before it, and what contents earned before and after. */
export function VersionChanges(props: {
  version: number;
  current: number;
  /** The way back to it, which a list has no room for on a small screen. */
  goBack: ComponentChildren;
}): VNode {
  const { version, current, goBack } = props;
  const { value, error, reload } = useResource(`changes ${version} ${current}`, (signal) =>
    Promise.all(
      [version - 1, version, ...(version < current ? [version + 1] : [])].map((number) =>
        call('getCatalogVersion', { params: { version: String(number) }, signal }),
      ),
    ),
  );
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading what="both versions" />;
  const [before, own, next] = value;
  const changes = changedEntries(before!.catalog as Catalog, own!.catalog as Catalog);
  return (
    <Box title={`Version ${version}: ${changeWords(changes)}`} label={`Version ${version}`}>
      <Changes of={changes} label={`What version ${version} changed`} />
      <Effect
        version={version}
        stored={own!.createdAt!}
        from={before!.createdAt}
        until={next?.createdAt ?? null}
        changed={new Set(changes.flatMap(({ kind, name }) => (kind === 'content' ? [name] : [])))}
      />
      <p class="actions">
        <a href={`/contents?since=${encodeURIComponent(own!.createdAt!)}`}>Rates and gains since then</a>
        {goBack}
      </p>
    </Box>
  );
}

/** An entry that differs, or a part of the catalog that is not a list of entries. */
interface Changed {
  readonly name: string;
  /** `content`, `template` or `goal`; empty for other parts. */
  readonly kind: string;
  readonly how: keyof typeof TONES;
  /** What a new or withdrawn entry is about. */
  readonly about: string;
  readonly fields: readonly Field[];
}

interface Field extends Pick<CatalogDifference, 'change' | 'before' | 'after'> {
  readonly label: string;
}

const TONES: Readonly<Record<'new' | 'withdrawn' | 'changed', Tone>> = {
  new: 'good',
  withdrawn: 'bad',
  changed: 'warn',
};

/** The differences of two catalogs, by the entry that they are in. */
export function changedEntries(before: Catalog, after: Catalog): Changed[] {
  const found = new Map<string, Changed>();
  for (const { names, ...difference } of catalogDifferences(before, after)) {
    const [part, id] = names as [string, string?];
    const list = part in LISTS ? LISTS[part as ListName] : undefined;
    const name = list && id !== undefined ? id : labelOf(part);
    const depth = list && id !== undefined ? 2 : 1;
    const key = JSON.stringify(names.slice(0, depth));
    const isWhole = depth === 2 && names.length === 2;
    const last = found.get(key);
    const inner = names.slice(depth);
    const fields =
      inner[0] !== undefined && inner[0] === TRANSLATIONS[part as ListName]
        ? translationsIn(inner, difference)
        : [{ label: labelOf(inner.join('.') || part), ...difference }];
    found.set(key, {
      name,
      kind: depth === 2 ? list!.one : '',
      how: !isWhole ? 'changed' : difference.change === 'added' ? 'new' : 'withdrawn',
      about: isWhole ? aboutOf((difference.after ?? difference.before) as Entry) : '',
      fields: isWhole ? [] : [...(last?.fields ?? []), ...fields],
    });
  }
  return [...found.values()];
}

/** A difference in the texts by locale: each locale apart, also where there were none before, or are none any more. */
function translationsIn(
  [, locale, ...names]: readonly string[],
  difference: Omit<CatalogDifference, 'names'>,
): Field[] {
  const label = (of: string) => `Translation ${cleaned(of)}`;
  if (locale !== undefined)
    return [
      {
        label: [label(locale), ...(names.length > 0 ? [labelOf(names.join('.'))] : [])].join(', '),
        ...difference,
      },
    ];
  const { change, before, after } = difference;
  return Object.entries((after ?? before) as Entry).map(([each, texts]) => ({
    label: label(each),
    change,
    ...(change === 'added' ? { after: texts } : { before: texts }),
  }));
}

const aboutOf = ({ title, event }: Entry) => textOf(title) || textOf(event);

/** How many entries are new, withdrawn and changed, in words. */
export function changeWords(entries: readonly Changed[]): string {
  const words = (Object.keys(TONES) as Changed['how'][]).flatMap((how) => {
    const n = entries.filter((entry) => entry.how === how).length;
    return n === 0 ? [] : [`${counted(n, 'entry', 'entries')} ${how}`];
  });
  return words.join(', ') || 'nothing is changed';
}

/** Entries that differ, each with its fields as they were and as they are. */
export function Changes({ of, label }: { of: readonly Changed[]; label: string }): VNode {
  if (of.length === 0) return <p class="note">Nothing is changed.</p>;
  return (
    <ul class="reasons" aria-label={label}>
      {of.map(({ name, kind, how, about, fields }) => (
        <li>
          <strong>
            <Text of={name} />
          </strong>{' '}
          <span class="note">{kind}</span> <Badge tone={TONES[how]}>{how}</Badge> <Text of={about} />
          {fields.length > 0 && (
            <ul class="changed-fields">
              {fields.map((field) => (
                <li>
                  <FieldChange of={field} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

function FieldChange({ of: { label, change, before, after } }: { of: Field }): VNode {
  if (change === 'reordered') return <>In another order</>;
  return (
    <>
      {label}
      {change !== 'changed' && ` ${change}`}:{' '}
      {change !== 'added' && (
        <del>
          <Text of={valueWords(before)} />
        </del>
      )}
      {change === 'changed' && ' → '}
      {change !== 'removed' && (
        <ins>
          <Text of={valueWords(after)} />
        </ins>
      )}
    </>
  );
}

function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, each]) => `${labelOf(name)}: ${valueWords(each)}`)
    .join('; ');
}
