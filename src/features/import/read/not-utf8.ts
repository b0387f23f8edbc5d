import { type BetterFlags, InputError } from '../transform/input-error.ts';
import { type LikelyEncoding, likelyEncodings } from './likely-encodings.ts';

/** What stands for an encoding that only the user can know. */
export const ENCODING = 'ENCODING';

/** Text that is not UTF-8. The next step names its encoding, or those that are likely. */
export class NotUtf8 extends InputError {
  /** What is not UTF-8. */
  readonly bytes: Uint8Array;

  constructor(message: string, hint: string, bytes: Uint8Array) {
    const { flags, note } = encodingStep(likelyEncodings(bytes));
    super(message, hint, { flags, note });
    this.bytes = bytes;
  }
}

/** The flag for an encoding, and a note where it is not certain. */
export function encodingStep(likely: readonly LikelyEncoding[]): {
  flags: BetterFlags;
  note: string | undefined;
} {
  const certain = likely.length === 1 ? likely[0] : undefined;
  return {
    flags: { without: ['encoding'], more: ['--encoding', certain?.encoding ?? ENCODING] },
    note: certain ? undefined : `replace what is in capitals: ${ENCODING} ${encodingChoices(likely)}`,
  };
}

/** Says which encodings are likely, and how the text reads in each. */
export function encodingChoices(likely: readonly LikelyEncoding[]): string {
  if (likely.length === 0) return 'is the encoding of the text, such as windows-1252 or shift_jis';
  return `is one of ${likely.map(({ encoding, example }) => `${encoding} (${example})`).join(', ')}`;
}
