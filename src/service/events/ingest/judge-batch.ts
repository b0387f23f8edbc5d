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

/** What a batch does against a plan. */
interface Judged {
  /** The answer, if an event is refused, and with it the batch. */
  readonly refusal: ServiceError | undefined;
  /** What the events did for which the batch is refused. */
  refused(): Iterable<NamedViolation>;
  /** What those events did that were stored. */
  stored(isStored: (index: number, userId: string) => boolean): Iterable<NamedViolation>;
}

/** Judges a valid batch by the plan. Returns undefined if all of it is as planned. */
export function judgeBatch(plan: Judge, batch: Pick<EventBatch, 'whole' | 'at'>): Judged | undefined {
  const found: [index: number, event: string, violations: readonly Violation[]][] = [];
  const details: Detail[] = [];
  for (const [index, { event, properties }] of batch.whole().entries()) {
    const violations = judge(plan, event, properties);
    if (violations.length === 0) continue;
    found.push([index, event, violations]);
    for (const violation of violations.filter(isRefused).slice(0, LISTED.perEvent))
      if (details.length < LISTED.all)
        details.push({ index, field: violatedField(violation), message: violation.message });
  }
  if (found.length === 0) return undefined;
  return {
    refusal: details.length > 0 ? new ServiceError('invalid_request', undefined, details) : undefined,
    *refused() {
      for (const [, event, violations] of found)
        for (const { property, rule } of violations.filter(isRefused)) yield { event, property, rule };
    },
    *stored(isStored) {
      for (const [index, event, violations] of found)
        if (isStored(index, batch.at(index).userId))
          for (const { property, rule } of violations) yield { event, property, rule };
    },
  };
}

const isRefused = ({ action }: Violation) => action === 'refuse';
