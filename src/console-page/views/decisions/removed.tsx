import type { VNode } from 'preact';
import { removalWords } from '../../../kit/removal-words.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Table } from '../../parts/table.tsx';
import { Cut, Text } from '../../parts/text.tsx';
import type { Decision } from './decision-words.ts';

/** Members of a content that list the places where it may be shown, by the rule that compares them. */
const PLACES: Readonly<Record<string, 'channels' | 'surfaces' | 'locales'>> = {
  channel: 'channels',
  surface: 'surfaces',
  locale: 'locales',
};

/** What a content of the catalog needs. */
type Entry = { readonly contentId?: unknown } & Readonly<
  Partial<Record<'channels' | 'surfaces' | 'locales', unknown>>
>;

/** The contents that rules excluded, each with what it needs, as the catalog now has it, and what the request had. */
export function Removed(props: {
  removed: NonNullable<Decision['removed']>;
  context: Decision['context'];
}): VNode {
  const { removed, context } = props;
  const catalog = useResource(removed.some(({ rule }) => rule in PLACES) ? 'catalog' : undefined, (signal) =>
    call('getCatalog', { signal }),
  );
  const { contents = [] } = (catalog.value?.catalog ?? {}) as { contents?: readonly Entry[] };
  const rows = removed.flatMap(({ rule, name, count, contentIds }) => {
    const words = removalWords(name === undefined ? { rule } : { rule, name });
    const place = PLACES[rule];
    const needed = (id: string) => {
      const list = place && contents.find(({ contentId }) => contentId === id)?.[place];
      return Array.isArray(list) ? list.join(', ') : '';
    };
    const had = place ? String(context[rule as keyof typeof context] ?? 'none') : '';
    const more = count - contentIds.length;
    return [
      ...contentIds.map((id) => ({ id, words, needs: needed(id), had })),
      ...(more > 0 ? [{ id: null, words: `${more} more by ${words}`, needs: '', had }] : []),
    ];
  });
  return (
    <>
      <h3>Not eligible here</h3>
      <Table
        label="Removed by a rule"
        dense
        rows={rows}
        keyOf={({ id, words }) => `${id} ${words}`}
        columns={[
          {
            title: 'Content',
            cell: ({ id, words }) =>
              id === null ? (
                <span class="note">
                  <Text of={words} />
                </span>
              ) : (
                <a href={`/catalog/contents/${encodeURIComponent(id)}`}>
                  <Cut of={id} />
                </a>
              ),
          },
          { title: 'Excluded by', cell: ({ id, words }) => id !== null && <Text of={words} /> },
          { title: 'It needs', note: 'by the catalog of now', cell: ({ needs }) => <Text of={needs} /> },
          { title: 'The request had', cell: ({ had }) => <Text of={had} /> },
        ]}
      />
    </>
  );
}
