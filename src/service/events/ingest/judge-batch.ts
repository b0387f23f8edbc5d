import { ServiceError } from '../../../contract/errors.ts';
import {
  type Judge,
  judge,
  type NamedViolation,
  type Violation,
  violatedField,
} from '../../../contract/event-plan.ts';
import type { Detail } from '../../../contract/validation.ts';
import type { EventBatch } from '../store/append.ts';

/** Errors that an answer lists, of an event and of all, as for other invalid records. */
const LISTED = { perEvent: 5, all: 1000 } as const;

/**
 * Judges a valid batch by the plan. Throws invalid_request if an event is refused. Returns what counts the violations of
 * the events that were stored, or undefined if there are none.
 */
export function judgeBatch(
  plan: Judge,
  batch: Pick<EventBatch, 'whole' | 'at'>,
): ((isStored: (index: number, userId: string) => boolean) => Iterable<NamedViolation>) | undefined {
  const found: [index: number, event: string, violations: readonly Violation[]][] = [];
  const details: Detail[] = [];
  for (const [index, { event, properties }] of batch.whole().entries()) {
    const violations = judge(plan, event, properties);
    if (violations.length === 0) continue;
    found.push([index, event, violations]);
    const refused = violations.filter(({ action }) => action === 'refuse').slice(0, LISTED.perEvent);
    for (const violation of refused)
      if (details.length < LISTED.all)
        details.push({ index, field: violatedField(violation), message: violation.message });
  }
  if (details.length > 0) throw new ServiceError('invalid_request', undefined, details);
  if (found.length === 0) return undefined;
  return function* (isStored) {
    for (const [index, event, violations] of found)
      if (isStored(index, batch.at(index).userId))
        for (const { property, rule } of violations) yield { event, property, rule };
  };
}
