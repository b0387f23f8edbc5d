import { canonicalLocale, fallbacksOf, isLocale } from '../../kit/locale.ts';
import type { CatalogIssue } from './issue.ts';

/** What is wrong with the names of locales: no tags, or two of the same locale. */
export function localeIssues(names: readonly string[], path: string): CatalogIssue[] {
  const seen = new Map<string, string>();
  return names.flatMap((name): CatalogIssue[] => {
    const at = `${path}.${name}`;
    if (!isLocale(name)) return [{ path: at, message: 'is not a locale tag, such as en-GB' }];
    const canonical = canonicalLocale(name);
    const same = seen.get(canonical);
    seen.set(canonical, name);
    return same === undefined ? [] : [{ path: at, message: `is the same locale as ${same}` }];
  });
}

/** The languages of a content of the catalog file; undefined where it is not valid. */
type Spoken =
  | { readonly texts?: object | undefined; readonly locales?: readonly string[] | undefined }
  | undefined;

/** What is wrong with the languages of contents. */
export const contentTextIssues = (contents: readonly Spoken[]): CatalogIssue[] =>
  contents.flatMap((content, i) => localeIssues(Object.keys(content?.texts ?? {}), `contents[${i}].texts`));

/** Texts of contents in languages that their `locales` exclude: no decision shows them. */
export const excludedTexts = (contents: readonly Spoken[]): CatalogIssue[] =>
  contents.flatMap(({ texts = {}, locales = [] } = {} as NonNullable<Spoken>, i) => {
    const shown = locales.map((locale) => canonicalLocale(locale));
    // `en` includes `en-GB`; a text of `en` is shown for `en-GB` too.
    const meets = (one: string, other: string) =>
      fallbacksOf(one).includes(other) || fallbacksOf(other).includes(one);
    return Object.keys(texts)
      .filter((name) => shown.length > 0 && !shown.some((tag) => meets(tag, canonicalLocale(name))))
      .map((name) => ({
        path: `contents[${i}].texts.${name}`,
        message: 'is never shown: locales does not include it',
      }));
  });
