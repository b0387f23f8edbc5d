import { IngestEventsRequest } from '../../../src/contract/schemas.ts';
import { type Detail, validate } from '../../../src/contract/validation.ts';
import { type Answer, type Send, SendFailure } from '../../../src/features/import/deliver/send.ts';

export interface Habits {
  /** Returns the error message for a record that is refused. */
  readonly poison?: (record: string) => string | undefined;
  /** Which invalid records an error response lists. */
  readonly details?: 'all' | 'first' | 'none';
  /** Called for each request, before or after it is executed; may replace the answer. */
  readonly before?: (count: number) => Answer | Error | undefined | Promise<Answer | Error | undefined>;
  readonly after?: (count: number) => Answer | Error | undefined;
}

/** The ingest endpoint without a network: atomic per request, idempotent by key, and as strict as the contract. */
export class KeyedService {
  /** The text of each stored event, in order. */
  readonly stored: string[] = [];
  readonly bodies: string[] = [];
  readonly keys: string[] = [];
  habits: Habits;
  private readonly answers = new Map<string, { body: string; answer: Answer }>();

  constructor(habits: Habits = {}) {
    this.habits = habits;
  }

  readonly send: Send = async (body, key) => {
    const count = this.bodies.push(body.toString());
    this.keys.push(key);
    const before = await this.habits.before?.(count);
    if (before instanceof Error) throw before;
    if (before) return before;
    const answer = this.answer(body.toString(), key);
    const after = this.habits.after?.(count);
    if (after instanceof Error) throw after;
    return after ?? answer;
  };

  private answer(body: string, key: string): Answer {
    const known = this.answers.get(key);
    if (known) {
      if (known.body !== body) throw new Error(`key ${key} was used with two bodies`);
      return known.answer;
    }
    const checked = validate(IngestEventsRequest, JSON.parse(body));
    if (!checked.ok)
      throw new Error(`the service received an invalid request: ${JSON.stringify(checked.details)}`);
    const records = recordsIn(body);
    const faults: Detail[] = records.flatMap((record, index) => {
      const words = this.habits.poison?.(record);
      return words === undefined ? [] : [{ index, field: 'event', message: words }];
    });
    const requestId = `req_${this.bodies.length}`;
    let answer: Answer = { status: 202, requestId };
    if (faults.length > 0) {
      const details = { all: faults, first: faults.slice(0, 1), none: [] }[this.habits.details ?? 'all'];
      answer = { status: 400, requestId, message: `refused: ${faults[0]!.message}`, details };
    } else this.stored.push(...records);
    this.answers.set(key, { body, answer });
    return answer;
  }
}

/** The text of the records in a body; records must not contain nested objects. */
export function recordsIn(body: string): string[] {
  return body.slice('{"events":['.length, -2).split(/,(?=\{"userId")/);
}

export const lost = () => new SendFailure('the connection was lost', true);
export const refusedConnection = () => new SendFailure('the service cannot be reached', false);
