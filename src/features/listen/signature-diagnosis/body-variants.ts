/**
 * The bytes that may have been signed in place of those that arrived: known wrappings are taken off, the JSON in them is
 * written anew, known wrappings are put on. Each of the three alone and together.
 */
import { memoizedIterator } from '../../../kit/memoized-iterator.ts';
import { formsBeforeNumberLoss, jsonForms } from './json-forms.ts';
import type { AppliedMistake } from './mistakes.ts';
import { type BodyVariant, type SignedMetadata, unwrapped, wrapped } from './wrappings.ts';

export type { BodyVariant, SignedMetadata } from './wrappings.ts';

const MAX_MISTAKES = 4;
/** Each byte is written once and digested once: with all of them an explanation takes some 100 ms. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_VARIANTS = 8000;
/** Tried also where they have more bytes together: the likeliest mistakes. */
const MIN_VARIANTS = 16;
/** Bytes that are written at most, whatever becomes of them: a body can be made so that most of it is for nothing. */
const MAX_WORK_BYTES = 16 * 1024 * 1024;

/**
 * The bytes that may have been signed in place of `raw`, those with the fewest mistakes first and among them the
 * likeliest first; guesses at what a parser lost come last. The first is `raw` itself. As many as can be tried in good
 * time: fewer of a large body. Undefined is work for nothing, after which the caller may pause.
 */
export function* bodyVariants(raw: Buffer, beside: SignedMetadata): Generator<BodyVariant | undefined> {
  let bytes = 0;
  let variants = 0;
  let work = 0;
  for (const variant of allVariants(raw, beside)) {
    yield variant;
    work += variant ? variant.bytes.length : raw.length;
    if (work >= MAX_WORK_BYTES) return;
    if (!variant) continue;
    bytes += variant.bytes.length;
    variants++;
    if (variants >= MAX_VARIANTS || (variants >= MIN_VARIANTS && bytes > MAX_BYTES)) return;
  }
}

function* allVariants(raw: Buffer, beside: SignedMetadata): Generator<BodyVariant | undefined> {
  const sources = unwrapped(raw).map((source) => ({ source, forms: memoizedIterator(formsOf(source)) }));
  for (let count = 0; count <= MAX_MISTAKES; count++) {
    const room = sources.map((one) => ({ ...one, left: count - one.source.mistakes.length }));
    for (const { source, left } of room) if (left >= 0) yield* wrapped(source, left, beside);
    for (const { forms, left } of room) {
      if (left < 1) continue;
      for (const form of forms()) {
        if (form) yield* wrapped(form, left - 1, beside);
        else yield undefined;
      }
    }
    if (count === 1) yield* instead();
  }
  for (const { source } of sources) yield* rewritten(source, formsBeforeNumberLoss(source.bytes.toString()));
}

const formsOf = (source: BodyVariant) => rewritten(source, jsonForms(source.bytes.toString()));

function* rewritten(
  { mistakes }: BodyVariant,
  forms: Iterable<{ text: string; mistake: AppliedMistake } | undefined>,
): Generator<BodyVariant | undefined> {
  for (const form of forms)
    yield form && { bytes: Buffer.from(form.text), mistakes: [...mistakes, form.mistake] };
}

/** What people hash who have lost the body. */
function* instead(): Generator<BodyVariant> {
  yield { bytes: Buffer.alloc(0), mistakes: [{ name: 'empty-body' }] };
  for (const text of ['[object Object]', 'Array']) {
    yield { bytes: Buffer.from(text), mistakes: [{ name: 'stringified-object', detail: text }] };
  }
}
