/** Language, script, region and variants of BCP 47. Longer words that could be languages are not: none exists. */
const LOCALE =
  /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z\d]{5,8}|\d[a-z\d]{3}))*(-[a-wyz\d](-[a-z\d]{2,8})+)*(-x(-[a-z\d]{1,8})+)?$/i;

/** Whether a text is a locale tag such as `en-GB`; `en_GB` is taken for it. */
export const isLocale = (text: string): boolean => LOCALE.test(text.replaceAll('_', '-'));

/** A locale tag in its canonical form: `EN_gb` is `en-GB`. A text that is none is returned as it is. */
export function canonicalLocale(text: string): string {
  if (!isLocale(text)) return text;
  const [first = text] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
  return first;
}
