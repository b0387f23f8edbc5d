import { expect, test } from 'vitest';
import { catalogIssues, catalogWarnings } from '../../../src/service/catalog/parse.ts';

const said = { title: 't', body: 'b' };
const catalogWith = (texts: object, locales?: string[]) => ({
  contents: [
    { contentId: 'c', category: 'x', format: 'card', ...said, texts, ...(locales ? { locales } : {}) },
  ],
});
const words = (issues: readonly { path: string; message: string }[]) =>
  issues.map(({ path, message }) => `${path} ${message}`);

test('a content has a text for each locale once, with a title and a body', () => {
  expect(words(catalogIssues(catalogWith({ de: said, 'pt-BR': said })))).toEqual([]);
  expect(words(catalogIssues(catalogWith({ 'en-GB': said, en_gb: said, banana_split: said })))).toEqual([
    'contents[0].texts.en_gb is the same locale as en-GB',
    'contents[0].texts.banana_split is not a locale tag, such as en-GB',
  ]);
  expect(words(catalogIssues(catalogWith({ de: { title: 't' } })))).toEqual([
    'contents[0].texts.de.body is missing',
  ]);
});

test('a text in a language that the content is not shown in is warned of', () => {
  const warnings = (texts: object, locales?: string[]) =>
    words(catalogWarnings(catalogWith(texts, locales), Date.now()));
  expect(warnings({ de: said })).toEqual([]);
  expect(warnings({ 'de-AT': said, en: said, fr: said }, ['de', 'en-GB'])).toEqual([
    'contents[0].texts.fr is never shown: locales does not include it',
  ]);
});
