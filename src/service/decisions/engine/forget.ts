import { BIAS, compact } from './features.ts';
import { contentHash, hashOf, type Model, pairKey } from './model.ts';

/** Removes what a model learned of one user. What all users taught it together stays. Returns whether it had anything. */
export function forgetUser(model: Model, user: string): boolean {
  const hash = hashOf(user);
  let changed = false;
  // A content that returned to its prior left pairs of its earlier lives behind.
  for (const [contentId, { epoch }] of model.contents)
    for (let each = 0; each <= epoch; each++)
      changed = model.personal.pairs.delete(pairKey(hash, contentHash(contentId, each))) || changed;
  changed = model.encoding.numbers.forget(hash[0]) || changed;
  for (const [decision, example] of model.pending) {
    if (example.user !== user) continue;
    model.pending.set(decision, { ...example, user: null, compact: compact([BIAS]) });
    changed = true;
  }
  return changed;
}
