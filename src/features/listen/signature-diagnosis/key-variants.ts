/** Generates the wrong keys that are known to be derived from a signing secret. */
import type { NamedSecret } from '../verify-signature.ts';
import type { AppliedMistake } from './mistakes.ts';

export interface KeyVariant {
  readonly key: string | Uint8Array;
  readonly mistakes: readonly AppliedMistake[];
}

/**
 * Returns the keys that may have been used instead of `secret`, likeliest first; the first is `secret` itself.
 * @param others secrets of other profiles, which are easily confused
 */
export function keyVariants(secret: string, others: readonly NamedSecret[]): KeyVariant[] {
  const found = new Map<string, KeyVariant>();
  const add = (key: string | Uint8Array, ...mistakes: AppliedMistake[]) => {
    const id = Buffer.from(key as string).toString('hex');
    if (!found.has(id)) found.set(id, { key, mistakes });
  };
  add(secret);
  for (const other of others) add(other.secret, { name: 'other-secret', detail: other.name });
  addDecoded(secret, add);
  for (const end of ['\n', '\r\n', ' ']) add(secret + end, { name: 'secret-with-newline' });
  add(secret.trim(), { name: 'secret-trimmed' });
  for (const quote of ['"', "'"]) add(quote + secret + quote, { name: 'secret-with-quotes' });
  add(secret.replace(/^(["'])(.*)\1$/s, '$2'), { name: 'secret-without-quotes' });
  add(secret.toLowerCase(), { name: 'secret-in-other-case' });
  add(secret.toUpperCase(), { name: 'secret-in-other-case' });
  for (const unset of ['', 'undefined', 'null', 'None']) add(unset, { name: 'unset-secret', detail: unset });
  for (const other of others) {
    addDecoded(other.secret, (key, ...mistakes) =>
      add(key, { name: 'other-secret', detail: other.name }, ...mistakes),
    );
  }
  return [...found.values()];
}

function addDecoded(
  secret: string,
  add: (key: string | Uint8Array, ...mistakes: AppliedMistake[]) => void,
): void {
  const text = secret.trim();
  if (/^([0-9a-f]{2})+$/i.test(text)) add(Buffer.from(text, 'hex'), { name: 'secret-decoded-from-hex' });
  const bare = text.replace(/^whsec_/, '');
  if (bare !== text) add(bare, { name: 'secret-without-prefix' });
  if (/^[A-Za-z0-9+/_-]{4,}={0,2}$/.test(bare)) {
    add(Buffer.from(bare, 'base64'), { name: 'secret-decoded-from-base64' });
  }
}
