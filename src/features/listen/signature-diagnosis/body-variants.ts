/**
 * Generates the bytes that may have been signed instead of those received: removes known wrappings, serializes the JSON
 * in other forms, and adds known wrappings, in every combination.
 */
import { memoizedIterator } from '../../../kit/memoized-iterator.ts';
import { formsBeforeNumberLoss, jsonForms } from './json-forms.ts';
import type { AppliedMistake } from './mistakes.ts';
import { type BodyVariant, type SignedMetadata, unwrapped, wrapped } from './wrappings.ts';

export type { BodyVariant, SignedMetadata } from './wrappings.ts';

const MAX_MISTAKES = 4;
/** Total size of the variants in bytes; hashing all of them takes about 100 ms. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_VARIANTS = 8000;
/** Number of likely variants that are tried even if they exceed MAX_BYTES. */
const MIN_VARIANTS = 16;
/** Bytes written in total, including duplicates: a hostile body can make most of the variants equal. */
const MAX_WORK_BYTES = 16 * 1024 * 1024;

/**
 * Yields the bytes that may have been signed instead of `raw`, by number of mistakes and then by likelihood; guesses at
 * lost number literals come last. The first is `raw` itself. The total work is bounded, so a large body has fewer
 * variants. Yields undefined for a duplicate, so that the caller can pause.
 */
export function* bodyVariants(raw: Buffer, metadata: SignedMetadata): Generator<BodyVariant | undefined> {
  let bytes = 0;
  let variants = 0;
  let work = 0;
  for (const variant of allVariants(raw, metadata)) {
    yield variant;
    work += variant ? variant.bytes.length : raw.length;
    if (work >= MAX_WORK_BYTES) return;
    if (!variant) continue;
    bytes += variant.bytes.length;
    variants++;
    if (variants >= MAX_VARIANTS || (variants >= MIN_VARIANTS && bytes > MAX_BYTES)) return;
  }
}

function* allVariants(raw: Buffer, metadata: SignedMetadata): Generator<BodyVariant | undefined> {
  const sources = unwrapped(raw).map((source) => ({ source, forms: memoizedIterator(formsOf(source)) }));
  for (let count = 0; count <= MAX_MISTAKES; count++) {
    const room = sources.map((one) => ({ ...one, left: count - one.source.mistakes.length }));
    for (const { source, left } of room) if (left >= 0) yield* wrapped(source, left, metadata);
    for (const { forms, left } of room) {
      if (left < 1) continue;
      for (const form of forms()) {
        if (form) yield* wrapped(form, left - 1, metadata);
        else yield undefined;
      }
    }
    if (count === 1) yield* bodyReplacements();
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

/** Bytes that are hashed by mistake when the body is no longer available. */
function* bodyReplacements(): Generator<BodyVariant> {
  yield { bytes: Buffer.alloc(0), mistakes: [{ name: 'empty-body' }] };
  for (const text of ['[object Object]', 'Array']) {
    yield { bytes: Buffer.from(text), mistakes: [{ name: 'stringified-object', detail: text }] };
  }
}
