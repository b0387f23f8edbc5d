import { hashOf, type Model, pairKey } from './model.ts';

/** Removes what a model learned of one user. What all users taught it together stays. Returns whether it had anything. */
export function forgetUser(model: Model, user: string): boolean {
  const hash = hashOf(user);
  let changed = false;
  for (const { hash: content } of model.contents.values())
    changed = model.personal.pairs.delete(pairKey(hash, content)) || changed;
  for (const [decision, example] of model.pending) {
    if (example.user !== user) continue;
    model.pending.set(decision, { ...example, user: null, features: [] });
    changed = true;
  }
  return changed;
}
