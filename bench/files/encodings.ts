// cspell:ignore maccyrillic macroman
/**
 * Guesses the encodings of texts as `svc events inspect` does. FOLDER holds a folder per encoding, named `ENCODING` or
 * `ENCODING-LANGUAGE`, as https://github.com/chardet/chardet has them in `tests`.
 * `npm run bench -- bench/files/encodings.ts FOLDER`: counts the texts that are read as what they are, that are asked about, and
 * that would be read as something else without a question, and lists the latter.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { detectFormat } from '../../src/features/import/formats/detect.ts';
import { notUtf8Lines } from '../../src/features/import/formats/undecoded.ts';
import { likelyEncodings } from '../../src/features/import/guess/likely-encodings.ts';
import { encodingName, markedEncoding, textIn } from '../../src/features/import/input/encoding.ts';
import { InputError } from '../../src/features/import/input/input-error.ts';

const [folder = ''] = process.argv.slice(2);
if (!existsSync(folder)) {
  console.error('usage: npm run bench -- bench/files/encodings.ts FOLDER');
  process.exit(2);
}

/** How much of a text shows its encoding, in bytes. */
const HEAD = 64 * 1024;
/** Names that `TextDecoder` has others for. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cp866: 'ibm866',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  gb2312: 'gb18030',
  maccyrillic: 'x-mac-cyrillic',
  macroman: 'macintosh',
  ascii: 'utf-8',
  'utf-8-sig': 'utf-8',
  'tis-620': 'windows-874',
};

/** The encoding that a folder is named after; undefined where `TextDecoder` does not read it. */
function truthOf(name: string): string | undefined {
  const known = (label: string) => encodingName(OTHER_NAMES[label] ?? label);
  const label = name.toLowerCase();
  return known(label) ?? known(label.replace(/-[a-z]+$/, ''));
}

/** The encodings that a command would have or ask for; none where it cannot tell. */
function guessed(bytes: Buffer, truth: string | undefined): readonly string[] {
  const marked = markedEncoding(bytes);
  // It is what the byte order mark says.
  if (marked !== undefined) return [truth?.startsWith('utf-16') ? truth : marked];
  const head = bytes.subarray(0, HEAD);
  try {
    detectFormat('text.csv', bytes.subarray(0, 8192), { reading: {}, known: 'decide', fields: new Set() });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const at = error.flags?.more.indexOf('--encoding') ?? -1;
    if (at >= 0) return [error.flags!.more[at + 1]!];
    if (error.message.includes('is binary data')) return [];
  }
  if (isUtf8(bytes)) return ['utf-8'];
  return likelyEncodings(notUtf8Lines(head)).map(({ encoding }) => encoding);
}

const counts = { right: 0, asked: 0, askedWithoutIt: 0, open: 0, wrong: 0 };
for (const name of readdirSync(folder).sort()) {
  if (!statSync(join(folder, name)).isDirectory()) continue;
  const truth = truthOf(name);
  for (const file of readdirSync(join(folder, name)).sort()) {
    const bytes = readFileSync(join(folder, name, file));
    const found = guessed(bytes, truth);
    const readsRight = (encoding: string) =>
      truth !== undefined && textIn(bytes, encoding) === textIn(bytes, truth);
    if (found.length === 0) counts.open++;
    else if (found.length > 1) {
      if (found.some(readsRight)) counts.asked++;
      else counts.askedWithoutIt++;
    } else if (readsRight(found[0]!)) counts.right++;
    else {
      counts.wrong++;
      console.log(`${name}/${file}: read as ${found[0]}`);
    }
  }
}
console.log(
  `${counts.right} read as what they are, ${counts.asked} asked about, ${counts.askedWithoutIt} asked about without the right one, ` +
    `${counts.open} asked about without a choice, ${counts.wrong} read as something else without a question`,
);
