import { textIn } from '../input/encoding.ts';
import type { BetterFlags } from '../input/input-error.ts';
import { PLACEHOLDERS } from '../record/placeholders.ts';

/** An encoding that text could have, and how its first word with other letters than ASCII reads in it. */
export interface LikelyEncoding {
  readonly encoding: string;
  readonly example: string;
}

const CYRILLIC = [
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
  'абвгдђежзијклљмнњопрстћуфхцчџш',
];
const CENTRAL_EUROPEAN = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž'];
/** The letters beside ASCII of the languages that are written in an encoding. */
const ALPHABETS: Readonly<Record<string, readonly string[]>> = {
  'windows-1252': [
    'äöüß',
    'àâæçéèêëîïôœùûüÿ',
    'áéíñóúüªº',
    'ãáàâçéêíóôõúüªº',
    'àèéìíîòóùú',
    'åäöé',
    'åæøéüö',
    'áéëèêíïóöúüĳ',
    'áéíóúýþæöð',
  ],
  'windows-1250': CENTRAL_EUROPEAN,
  'iso-8859-2': CENTRAL_EUROPEAN,
  'windows-1254': ['âçğıİîöşüû'],
  'windows-1257': ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž'],
  macintosh: ['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúüªº', 'ãáàâçéêíóôõúüªº'],
  'windows-1251': CYRILLIC,
  'koi8-r': CYRILLIC.slice(0, 1),
  ibm866: CYRILLIC.slice(0, 1),
  'windows-1253': [],
  'windows-1255': [],
  'windows-1256': [],
  shift_jis: [],
  'euc-jp': [],
  gb18030: [],
  big5: [],
  'euc-kr': [],
};
const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Hangul'];
/** Chinese and Japanese use several scripts in a word. */
const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+$/u;
/** Words with a larger share of letters beside ASCII are hardly of a Latin language. */
const MAX_ACCENTED = 0.75;
/** Share of the letters that are of one language where a text has foreign names. */
const MOSTLY = 0.95;
const MAX_EXAMPLE = 24;
const MAX_CHOICES = 4;

/**
 * Returns the encodings that bytes which are not UTF-8 could have, the likeliest first: those in which every word is of one
 * script and, if it is Latin, the letters are those of one language, or mostly. Of several that read the same, only the first.
 */
export function likelyEncodings(bytes: Uint8Array): LikelyEncoding[] {
  const found = new Map<string, LikelyEncoding & { readonly share: number }>();
  for (const [encoding, alphabets] of Object.entries(ALPHABETS)) {
    const words = wordsIn(bytes, encoding);
    if (!words || !isPlausible(words)) continue;
    const letters =
      words
        .join('')
        .toLowerCase()
        // As İ is written in lower case.
        .replaceAll('\u0307', '')
        .match(/[^\x00-\x7f]/g) ?? [];
    const shareOf = (alphabet: string) =>
      letters.length === 0
        ? 1
        : letters.filter((letter) => alphabet.includes(letter)).length / letters.length;
    const share = alphabets.length === 0 ? 1 : Math.max(...alphabets.map(shareOf));
    if (alphabets.length > 0 && share < MOSTLY && shareOf(alphabets.join('')) < 1) continue;
    const key = words.join(' ');
    if (found.has(key)) continue;
    const example = words[0]?.slice(0, MAX_EXAMPLE) ?? '';
    found.set(key, { encoding, example, share });
  }
  const read = [...found.values()];
  // Where one encoding has letters, another that has only signs is not meant.
  const worded = read.filter(({ example }) => example !== '');
  const all = worded.length > 0 && read[0]?.example !== '' ? worded : read;
  const chosen =
    [1, MOSTLY].map((least) => all.filter(({ share }) => share >= least)).find(({ length }) => length > 0) ??
    all;
  const ranked = chosen.every(({ encoding }) => MULTIBYTE.includes(encoding))
    ? rankedByLetters(bytes)
    : chosen;
  return ranked.slice(0, MAX_CHOICES).map(({ encoding, example }) => ({ encoding, example }));
}

/** Encodings of Chinese, Japanese and Korean: what is text in one of them often is in others. */
const MULTIBYTE = ['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'];
/** Letters that are a large part of any text of these languages: kana, Hangul, and the most frequent characters of Chinese. */
const FREQUENT =
  /[ぁ-ヿ가-힣的一是不了人我在有他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着著去之过過家学學对對可她里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手十用主行方又如前所本见見经經公同三已从從动動两兩长長知民样樣现現分将將外但身些与與高意进進把法此实實回二理点點月明其全工]/gu;
/** The first of several must have that many times the share of the next. */
const MARGIN = 2;
const LEAST_SHARE = 0.1;

/** By how many letters it must be ahead, which is not soon by chance. */
const LEAD = 3;
/** Share of letters up to which a text may be broken. */
const MAX_BROKEN = 0.001;

/**
 * The encodings of Chinese, Japanese and Korean in which bytes are text, but for a few: one alone if its letters are far more
 * frequent; none where those of the only one are not those of its language.
 */
function rankedByLetters(bytes: Uint8Array): LikelyEncoding[] {
  const read = MULTIBYTE.flatMap((encoding) => {
    const text = textIn(bytes, encoding);
    const letters = text.match(/[^\x00-\x7f\P{L}]/gu)?.length ?? 0;
    const broken = text.match(/[\uFFFD\x80-\x9F\p{Co}]/gu)?.length ?? 0;
    if (broken > letters * MAX_BROKEN) return [];
    const [example = ''] = text.match(/[^\x00-\x7f\P{L}]+/u) ?? [];
    const frequent = text.match(FREQUENT)?.length ?? 0;
    const share = frequent / Math.max(1, letters);
    return [{ encoding, example: example.slice(0, MAX_EXAMPLE), share, frequent }];
  }).sort((a, b) => b.share - a.share);
  const [first, second] = read;
  if (first && !second && first.share < LEAST_SHARE) return [];
  const isClear =
    first &&
    first.share >= LEAST_SHARE &&
    (!second || (first.share >= MARGIN * second.share && first.frequent - second.frequent >= LEAD));
  return isClear ? [first] : read;
}

/** The words with other letters than ASCII; undefined if the bytes cannot be text in that encoding. */
function wordsIn(bytes: Uint8Array, encoding: string): string[] | undefined {
  const text = textIn(bytes, encoding);
  if (/[\uFFFD\x80-\x9F\u2500-\u259F\uFF61-\uFF9F\p{Co}]/u.test(text)) return undefined;
  // A sign inside a word is a letter of another encoding, and so is a letter beside a digit.
  if (/[a-z][^\x00-\x7f\p{L}\p{M}’‘´·\s–—-][a-z]/iu.test(text)) return undefined;
  if (
    /\d(?![\p{Script=Han}\p{Script=Hangul}])[^\x00-\x7f\P{L}ªº]|[^\x00-\x7f\P{L}](?<![\p{Script=Han}\p{Script=Hangul}])\d/u.test(
      text,
    )
  )
    return undefined;
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  return [...new Set(words.filter((word) => /[^\x00-\x7f]/.test(word)))];
}

/** Returns whether words are of one script each, have no capitals inside, and are not mostly of accented letters. */
function isPlausible(words: readonly string[]): boolean {
  if (!words.every((word) => scriptOf(word) !== undefined && !/\p{Ll}\p{Lu}/u.test(word))) return false;
  const text = words.join('');
  const beside = text.match(/[^\x00-\x7f]/g)?.length ?? 0;
  if (words.some((word) => scriptOf(word) === 'Latin'))
    return beside < 3 || beside / text.length < MAX_ACCENTED;
  return words.length === 0 || text.length / words.length >= 2;
}

function scriptOf(word: string): string | undefined {
  if (EAST_ASIAN.test(word)) return 'Han';
  return SCRIPTS.find((name) => {
    const marks = name === 'Hebrew' || name === 'Arabic' ? '\\p{M}' : '';
    return new RegExp(`^\\p{Script=${name}}[\\p{Script=${name}}${marks}ªº]*$`, 'u').test(word);
  });
}

/** The flag for an encoding, and a note where it is not certain. */
export function encodingStep(likely: readonly LikelyEncoding[]): {
  flags: BetterFlags;
  note: string | undefined;
} {
  const certain = likely.length === 1 ? likely[0] : undefined;
  return {
    flags: { without: ['encoding'], more: ['--encoding', certain?.encoding ?? PLACEHOLDERS.encoding] },
    note: certain
      ? undefined
      : `replace what is in capitals: ${PLACEHOLDERS.encoding} ${encodingChoices(likely)}`,
  };
}

/** Says which encodings are likely, and how the text reads in each. */
export function encodingChoices(likely: readonly LikelyEncoding[]): string {
  if (likely.length === 0) return 'is the encoding of the text, such as windows-1252 or shift_jis';
  return `is one of ${likely.map(({ encoding, example }) => `${encoding} (${example})`).join(', ')}`;
}
