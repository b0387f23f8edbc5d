/**
 * Finds the mistake of a handler that refuses valid deliveries: sends it deliveries whose signatures are computed with
 * the known mistakes. The one that it accepts identifies the mistake.
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

/** Yields signatures of `body` that a faulty handler would accept, likeliest first, with one mistake in each. */
export function* signatureGuesses(
  body: Buffer,
  secret: string,
  headers: Readonly<Record<string, string>>,
): Generator<SignatureGuess> {
  const hex = (bytes: Uint8Array, key: string | Uint8Array) =>
    createHmac('sha256', key).update(bytes).digest('hex');
  const digest = createHmac('sha256', secret).update(body).digest();
  const metadata = { id: headers[HEADERS.webhookId], timestamp: headers[HEADERS.webhookTimestamp] };
  const seen = new Set([digest.toString('hex')]);
  const all: SignatureGuess[] = [];
  for (const variant of bodyVariants(body, metadata)) {
    if (variant === undefined) continue;
    if (variant.mistakes.length > 1) break; // ordered by the number of mistakes
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

/** Returns the catalog entry of a mistake that was found. */
export function finding({ name, detail = '' }: AppliedMistake): Finding {
  return { name, summary: MISTAKES[name].summary(detail), fix: MISTAKES[name].fix };
}
