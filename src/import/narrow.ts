import type { Detail } from '../contract/validation.ts';
import type { Batch } from './batch.ts';
import type { RecordKind } from './check.ts';
import { type Fault, together } from './faults.ts';
import type { Reject } from './reject.ts';
import { type Answer, blamesContent, Refused } from './send.ts';

/** What became of the records of a batch. */
export interface Outcome {
  readonly accepted: number;
  readonly rejects: Reject[];
  /** Each answer that took records, for those who print them. */
  readonly answers: Answer[];
}

/** Sends a body and resolves to its answer, which is a success or blames the content; anything else it throws. */
export type Post = (body: Buffer) => Promise<Answer>;

/** Rounds in which `details` name next to nothing; then halves are faster, as they go side by side. */
const PATIENCE = 3;
const WORTHWHILE = 0.05;
/** Records that are sent alone before a batch of more than FEW is halved. */
const PROBES = 5;
const FEW = 16;

/**
 * Sends a batch so that every good record arrives and every bad one is known with the service's words. A refused
 * batch is sent again without the records that `details` name; where none are named it is halved, both halves at
 * once, down to single records. The order of the pieces depends on the answers alone, so a resumed import sends the
 * same bodies again, under the same keys.
 *
 * A refusal that no record caused would take two requests a record to find nothing. So before a batch is halved, a few
 * records of it are sent alone: where all are refused in the same words, none is named, and `someTaken` says that the
 * service never took any of this import, it is the import that it refuses. Throws Refused then, with nothing of the
 * batch taken.
 */
export async function narrow(
  batch: Batch,
  kind: RecordKind,
  post: Post,
  file: string,
  someTaken: () => boolean,
): Promise<Outcome> {
  const outcome = { accepted: 0, rejects: [] as Reject[], answers: [] as Answer[] };
  let probed = false;

  async function settle(records: readonly number[], body: Buffer, patience: number): Promise<void> {
    const answer = await post(body);
    if (records.length === 1) return single(records[0]!, answer);
    if (!blamesContent(answer.status)) return taken(records.length, answer);
    const blamed = answer.status === 413 ? new Map() : blamedBy(answer, records.length);
    if (blamed.size === 0) return unnamed(records, answer);
    for (const [at, faults] of blamed) refuse(records[at]!, answer, faults);
    const rest = records.filter((_, at) => !blamed.has(at));
    if (rest.length === 0) return;
    const left = blamed.size < records.length * WORTHWHILE ? patience - 1 : PATIENCE;
    if (left <= 0 && rest.length > 1) return halve(rest);
    return settle(rest, pieceOf(batch, kind, rest), left);
  }

  async function unnamed(records: readonly number[], answer: Answer): Promise<void> {
    // What is too long is shorter in halves; and few records are sooner halved than probed.
    if (probed || answer.status === 413 || records.length <= FEW) return halve(records);
    probed = true;
    const rest = new Set(records);
    const words = new Set<string>();
    const alone: { readonly index: number; readonly answer: Answer }[] = [];
    for (const index of spread(records, PROBES)) {
      const one = await post(pieceOf(batch, kind, [index]));
      alone.push({ index, answer: one });
      rest.delete(index);
      words.add(wordsOf(one));
      if (!blamesContent(one.status) || words.size > 1) break;
    }
    const blameless = alone.every(
      ({ answer: one }) => blamesContent(one.status) && blamedBy(one, 1).size === 0,
    );
    if (blameless && alone.length === PROBES && words.size === 1 && !someTaken())
      throw new Refused(answer, PROBES);
    for (const one of alone) single(one.index, one.answer);
    return halve([...rest]);
  }

  /** The end of a record that was sent alone. */
  function single(index: number, answer: Answer): void {
    if (blamesContent(answer.status)) refuse(index, answer, answer.details?.map(faultOf) ?? []);
    else taken(1, answer);
  }

  function taken(count: number, answer: Answer): void {
    outcome.accepted += count;
    outcome.answers.push(answer);
  }

  async function halve(records: readonly number[]): Promise<void> {
    const middle = Math.ceil(records.length / 2);
    const halves = [records.slice(0, middle), records.slice(middle)];
    const results = await Promise.allSettled(
      halves.map((half) => settle(half, pieceOf(batch, kind, half), PATIENCE)),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  function refuse(index: number, answer: Answer, faults: readonly Fault[]): void {
    const { records } = batch;
    const refused = { field: 'record', reason: answer.message ?? `was refused with ${answer.status}` };
    outcome.rejects.push({
      file,
      line: records.line[index]!,
      offset: records.offset[index]!,
      ...(together(faults) ?? refused),
      status: answer.status,
      ...(answer.requestId === undefined ? {} : { requestId: answer.requestId }),
      raw: records.raw(index, batch.body),
    });
  }

  const all = Array.from({ length: batch.records.count }, (_, index) => index);
  await settle(all, batch.body, PATIENCE);
  outcome.rejects.sort((a, b) => a.offset - b.offset);
  return outcome;
}

/** `count` of the records, from the first to the last. */
function spread(records: readonly number[], count: number): number[] {
  return Array.from(
    { length: count },
    (_, i) => records[Math.round((i * (records.length - 1)) / (count - 1))]!,
  );
}

/** What is said of a record that was sent alone; the same for two that are refused for the same reason. */
function wordsOf({ status, message, details = [] }: Answer): string {
  return JSON.stringify([status, message, details.map(({ field, message: text }) => [field, text])]);
}

/** The records that an answer blames: their place in the request, and what is said about each. */
function blamedBy(answer: Answer, count: number): Map<number, Fault[]> {
  const blamed = new Map<number, Fault[]>();
  for (const detail of answer.details ?? []) {
    const { index } = detail;
    if (index === undefined || !Number.isInteger(index) || index < 0 || index >= count) continue;
    blamed.set(index, [...(blamed.get(index) ?? []), faultOf(detail)]);
  }
  return blamed;
}

function faultOf({ field, message }: Detail): Fault {
  return { field, reason: message };
}

/** The body that holds some records of a batch. */
function pieceOf(batch: Batch, kind: RecordKind, indices: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (const index of indices) {
    parts.push(Buffer.from(parts.length === 0 ? `{"${kind}":[` : ','));
    parts.push(batch.body.subarray(batch.records.start[index], batch.records.end[index]));
  }
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}
