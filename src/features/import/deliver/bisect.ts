import type { Detail } from '../../../contract/validation.ts';
import type { RecordKind } from '../record/record-kind.ts';
import type { Reject } from '../record/reject.ts';
import { combineErrors, type ValidationError } from '../record/validation-errors.ts';
import type { Batch } from './batch.ts';
import { type Answer, blamesContent } from './send.ts';

/** The outcome of the records of a batch. */
export interface Outcome {
  readonly accepted: number;
  readonly rejects: Reject[];
  /** The answers that accepted records. */
  readonly answers: Answer[];
}

/** Sends a body of `count` records. Resolves to a success or an answer that blames the content; throws in all other cases. */
export type Post = (body: Buffer, count: number) => Promise<Answer>;

/** After this many rounds in which `details` name too few records, halving is faster, as halves are sent in parallel. */
const MAX_SLOW_ROUNDS = 3;
/** The share of records that `details` must name. */
const MIN_BLAMED_SHARE = 0.05;

/**
 * Bisects a refused batch until each bad record is isolated, so that all good records are accepted. A refused batch is
 * sent again without the records that `details` name; if none are named, it is halved, and both halves are sent in
 * parallel, down to single records. The pieces depend only on the answers, so a resumed import sends the same bodies
 * again with the same keys.
 */
export async function bisect(batch: Batch, kind: RecordKind, post: Post, file: string): Promise<Outcome> {
  const outcome = { accepted: 0, rejects: [] as Reject[], answers: [] as Answer[] };

  /** Counts records as accepted; returns false if the answer refuses them. */
  function accept(count: number, answer: Answer): boolean {
    if (blamesContent(answer.status)) return false;
    outcome.accepted += count;
    outcome.answers.push(answer);
    return true;
  }

  async function settle(records: readonly number[], body: Buffer, roundsLeft: number): Promise<void> {
    const answer = await post(body, records.length);
    if (!accept(records.length, answer)) await divide(records, answer, roundsLeft);
  }

  async function divide(records: readonly number[], answer: Answer, roundsLeft: number): Promise<void> {
    if (records.length === 1) {
      refuse(records[0]!, answer, answer.details?.map(toValidationError) ?? []);
      return;
    }
    const blamed = answer.status === 413 ? new Map() : errorsByIndex(answer, records.length);
    if (blamed.size === 0) return halve(records);
    for (const [at, errors] of blamed) refuse(records[at]!, answer, errors);
    const rest = records.filter((_, at) => !blamed.has(at));
    if (rest.length === 0) return;
    const rounds = blamed.size < records.length * MIN_BLAMED_SHARE ? roundsLeft - 1 : MAX_SLOW_ROUNDS;
    if (rounds <= 0 && rest.length > 1) return halve(rest);
    return settle(rest, subsetBody(batch, kind, rest), rounds);
  }

  async function halve(records: readonly number[]): Promise<void> {
    const middle = Math.ceil(records.length / 2);
    const halves = [records.slice(0, middle), records.slice(middle)];
    const results = await Promise.allSettled(
      halves.map((half) => settle(half, subsetBody(batch, kind, half), MAX_SLOW_ROUNDS)),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  function refuse(index: number, answer: Answer, errors: readonly ValidationError[]): void {
    const { records } = batch;
    const refused = { field: 'record', reason: answer.message ?? `was refused with ${answer.status}` };
    outcome.rejects.push({
      file: records.files[index] ?? file,
      line: records.line[index]!,
      offset: records.offset[index]!,
      ...(combineErrors(errors) ?? refused),
      status: answer.status,
      ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
      raw: records.raw(index, batch.body),
    });
  }

  const { count } = batch.records;
  const answer = await post(batch.body, count);
  if (accept(count, answer)) return outcome;
  const all = Array.from({ length: count }, (_, index) => index);
  await divide(all, answer, MAX_SLOW_ROUNDS);
  outcome.rejects.sort((a, b) => a.offset - b.offset);
  return outcome;
}

/** Returns the validation errors in an answer by the index of the record in the request. */
function errorsByIndex(answer: Answer, count: number): Map<number, ValidationError[]> {
  const blamed = new Map<number, ValidationError[]>();
  for (const detail of answer.details ?? []) {
    const { index } = detail;
    if (index === undefined || !Number.isInteger(index) || index < 0 || index >= count) continue;
    blamed.set(index, [...(blamed.get(index) ?? []), toValidationError(detail)]);
  }
  return blamed;
}

function toValidationError({ field, message }: Detail): ValidationError {
  return { field, reason: message };
}

/** Builds a body with some records of a batch. */
function subsetBody(batch: Batch, kind: RecordKind, indices: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (const index of indices) {
    parts.push(Buffer.from(parts.length === 0 ? `{"${kind}":[` : ','));
    parts.push(batch.body.subarray(batch.records.start[index], batch.records.end[index]));
  }
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}
