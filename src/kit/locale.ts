/** Language, script, region and variants of BCP 47. Longer words that could be languages are not: none exists. */
export const LOCALE_TAG =
  /^[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|\d{3}))?([-_]([A-Za-z\d]{5,8}|\d[A-Za-z\d]{3}))*([-_][A-WYZa-wyz\d]([-_][A-Za-z\d]{2,8})+)*([-_][Xx]([-_][A-Za-z\d]{1,8})+)?$/;

/** Whether a text is a locale tag such as `en-GB`; `en_GB` is taken for it. */
export const isLocale = (text: string): boolean => LOCALE_TAG.test(text);

/** A locale tag in its canonical form: `EN_gb` is `en-GB`. A text that has none is returned as it is. */
export function canonicalLocale(text: string): string {
  if (!isLocale(text)) return text;
  try {
    const [first = text] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    return first;
  } catch {
    // A variant or an extension twice: `de-1996-1996` has the form of a tag.
    return text;
  }
}

/** A locale and what it falls back to: `de-Latn-AT`, `de-Latn`, `de` (RFC 4647, lookup). */
export function fallbacksOf(locale: string | null | undefined): string[] {
  if (!locale) return [];
  const parts = canonicalLocale(locale).split('-');
  const tags: string[] = [];
  for (let length = parts.length; length > 0; length--)
    // A single letter only introduces what follows it.
    if (parts[length - 1]!.length > 1 || length === 1) tags.push(parts.slice(0, length).join('-'));
  return tags;
}
