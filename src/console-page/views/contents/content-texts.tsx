import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { counted } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';

interface Texts {
  readonly title?: string;
  readonly body?: string;
}

interface Entry extends Texts {
  readonly contentId?: unknown;
  readonly texts?: Readonly<Record<string, Texts>>;
}

/** What a content says in each of its locales, as the catalog now has it. */
export function ContentTexts({ id }: { id: string }): VNode | null {
  const { value, error, reload } = useResource(`texts ${id}`, async (signal) => {
    const { catalog } = await call('getCatalog', { signal });
    const { contents = [] } = catalog as { contents?: readonly Entry[] };
    return contents.find(({ contentId }) => contentId === id) ?? {};
  });
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading what="its texts" />;
  const { texts = {} } = value;
  const translations = Object.entries(texts);
  const all: (readonly [string, Texts])[] = [
    [translations.length > 0 ? 'any other' : 'every locale', value],
    ...translations,
  ];
  return (
    <>
      <h3>
        What it says
        {translations.length > 0 && `, with ${counted(translations.length, 'translation')}`}
      </h3>
      <dl class="facts">
        {all.map(([locale, { title = '', body = '' }]) => (
          <div>
            <dt>
              <Text of={locale} />
            </dt>
            <dd>
              <strong>
                <Text of={title} />
              </strong>
              <span class="note">
                <Text of={body} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
