/**
 * What does a handler that refuses right deliveries do wrong? It is sent deliveries signed in the ways in which
 * handlers are known to compute the signature wrongly; one that it takes names the mistake.
 */
import { createHash, createHmac } from 'node:crypto';
import { HEADERS } from '../../../contract/headers.ts';
import { bodyVariants } from '../signature-diagnosis/body-variants.ts';
import type { Finding } from '../signature-diagnosis/diagnose.ts';
import { keyVariants } from '../signature-diagnosis/key-variants.ts';
import { type AppliedMistake, MISTAKES } from '../signature-diagnosis/mistakes.ts';

export interface SignatureGuess {
  readonly signature: string;
  readonly mistake: AppliedMistake;
}

/** Signatures over `body` that a mistaken handler would find right, likeliest first, at most one mistake in each. */
export function* signatureGuesses(
  body: Buffer,
  secret: string,
  headers: Readonly<Record<string, string>>,
): Generator<SignatureGuess> {
  const hex = (bytes: Uint8Array, key: string | Uint8Array) =>
    createHmac('sha256', key).update(bytes).digest('hex');
  const digest = createHmac('sha256', secret).update(body).digest();
  const beside = { id: headers[HEADERS.webhookId], timestamp: headers[HEADERS.webhookTimestamp] };
  const seen = new Set([digest.toString('hex')]);
  const all: SignatureGuess[] = [];
  for (const variant of bodyVariants(body, beside)) {
    if (variant === undefined) continue;
    if (variant.mistakes.length > 1) break; // those with the fewest come first
    const [mistake] = variant.mistakes;
    if (mistake) all.push({ signature: hex(variant.bytes, secret), mistake });
  }
  for (const { key, mistakes } of keyVariants(secret, [])) {
    const [mistake] = mistakes;
    if (mistake) all.push({ signature: hex(body, key), mistake });
  }
  all.push(
    { signature: `sha256=${digest.toString('hex')}`, mistake: { name: 'sha256-prefix' } },
    { signature: digest.toString('base64'), mistake: { name: 'base64-signature' } },
    { signature: digest.toString('hex').toUpperCase(), mistake: { name: 'upper-case-hex' } },
    {
      signature: createHmac('sha1', secret).update(body).digest('hex'),
      mistake: { name: 'other-algorithm', detail: 'sha1' },
    },
    {
      signature: createHmac('sha512', secret).update(body).digest('hex'),
      mistake: { name: 'other-algorithm', detail: 'sha512' },
    },
    { signature: createHash('sha256').update(body).digest('hex'), mistake: { name: 'plain-hash' } },
  );
  for (const guess of all) {
    if (seen.has(guess.signature)) continue;
    seen.add(guess.signature);
    yield guess;
  }
}

/** A guessed mistake in the words of the catalogue, said of the handler. */
export function finding({ name, detail = '' }: AppliedMistake): Finding {
  return { name, summary: MISTAKES[name].summary(detail), fix: MISTAKES[name].fix };
}
