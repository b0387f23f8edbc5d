const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The language of a locale in English: `Austrian German` of `de-AT`. Empty where it has no name. */
export function languageOf(locale: string): string {
  try {
    return NAMES.of(locale) ?? '';
  } catch {
    // What stands in a file may not be a locale.
    return '';
  }
}
