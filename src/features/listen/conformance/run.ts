/** The conformance run of `webhooks test`: tries a handler with every case, and names the mistake it makes. */
import { deliveryHeaders } from '../../../contract/delivery-headers.ts';
import { HEADERS } from '../../../contract/headers.ts';
import type { Answer, Deliverer, NoAnswer } from '../deliverer.ts';
import type { Finding } from '../signature-diagnosis/diagnose.ts';
import type { Fix, MistakeName } from '../signature-diagnosis/mistakes.ts';
import { adviceFor } from './advice.ts';
import { CASES, type Case, deliveryFactory, type TestDelivery } from './cases.ts';
import { finding, signatureGuesses } from './signature-guesses.ts';

export interface Row {
  readonly name: string;
  readonly tries: string;
  readonly passed: boolean;
  readonly expected: '2xx' | '401';
  /** What the handler answered; null where it did not. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why it failed. */
  readonly why?: string;
  /** The known mistake that the handler was found to make. */
  readonly mistake?: MistakeName;
  readonly fix?: Fix;
}

export interface RunOptions {
  readonly url: URL;
  readonly secret: string;
  readonly deliverer: Deliverer;
  /** Unix ms. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly deadlineMs?: number;
  /** Between two of the nine pieces of a slow body; 220 where not given. */
  readonly slowPauseMs?: number;
  readonly signal?: AbortSignal;
}

/** Nobody listens at the address: there is nothing to test. */
export class HandlerUnreachable extends Error {}

const OTHER_SECRET = 'not-the-secret-of-this-subscription';
/** Pieces of a slow body; they cut characters of several bytes apart. */
const PIECES = 9;
const PAUSE_MS = 220;

/** Yields a row for each case, in order. Throws NobodyThere when not even a connection is made at the start. */
export async function* conformance(options: RunOptions): AsyncGenerator<Row> {
  const make = deliveryFactory(options.now(), options.newId, OTHER_SECRET);
  let known: Finding | undefined;
  let validStatus: number | null = null;
  for (const one of CASES) {
    const deliveries = one.deliveries(make);
    const result = await sendAll(deliveries, options);
    if (options.signal?.aborted) return;
    if (one === CASES[0] && result.status === null && result.code !== 'TIMEOUT') {
      throw new HandlerUnreachable(result.error);
    }
    const passed = isExpected(one, result.status);
    if (!passed && known === undefined && isClientError(result.status) && DIAGNOSED_CASES.has(one.name)) {
      known = await guess(deliveries[0] as TestDelivery, options);
    }
    yield row(one, result, passed, { known, validStatus });
    if (one === CASES[0] && !passed) validStatus = result.status;
  }
}

/** Cases whose deliveries are tried again in the ways of the known mistakes, when a handler refuses them. */
const DIAGNOSED_CASES = new Set(['valid', 'other spelling']);

const isExpected = ({ expects }: Case, status: number | null) =>
  status !== null && (expects === 'taken' ? status >= 200 && status < 300 : status === 401);
const isClientError = (status: number | null) => status !== null && status >= 400 && status < 500;

interface RunState {
  /** The mistake that the handler was found to make. */
  readonly known: Finding | undefined;
  /** The answer to the valid delivery, where that was not taken. */
  readonly validStatus: number | null;
}

function row(one: Case, result: Answer | NoAnswer, passed: boolean, { known, validStatus }: RunState): Row {
  const { name, tries, expects } = one;
  const { status, durationMs } = result;
  const base = {
    name,
    tries,
    passed,
    expected: expects === 'taken' ? '2xx' : '401',
    status,
    durationMs,
  } as const;
  if (passed) return base;
  if (known && expects === 'taken' && isClientError(status)) {
    return {
      ...base,
      why: `it makes a known mistake. ${known.summary}`,
      mistake: known.name,
      fix: known.fix,
    };
  }
  // Then the row says nothing of what it tries.
  if (expects === 'taken' && status !== null && status === validStatus) {
    return { ...base, why: 'refused as the valid one is: mend that first' };
  }
  return { ...base, ...adviceFor(one, status, result.status === null ? result.error : undefined) };
}

/** Sends the deliveries of a case one after the other; the first that is not answered as the others decides. */
async function sendAll(deliveries: readonly TestDelivery[], options: RunOptions): Promise<Answer | NoAnswer> {
  let last: Answer | NoAnswer | undefined;
  for (const shot of deliveries) {
    last = await sendOne(shot, options);
    if (last.status === null || last.status < 200 || last.status > 299) return last;
  }
  return last as Answer | NoAnswer;
}

function sendOne(
  shot: TestDelivery,
  { url, secret, deliverer, now, deadlineMs, slowPauseMs, signal }: RunOptions,
): Promise<Answer | NoAnswer> {
  const headers: Record<string, string | undefined> = {
    ...deliveryHeaders(shot.deliveryId, now(), shot.signed ?? shot.body, [shot.secret ?? secret]),
    ...shot.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  return deliverer.post(url, shot.body, lines, {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(signal ? { signal } : {}),
    ...(shot.slow ? { pieces: { count: PIECES, pauseMs: slowPauseMs ?? PAUSE_MS } } : {}),
  });
}

/** The mistake by which the handler computes the signature, where it is a known one. */
async function guess(shot: TestDelivery, options: RunOptions): Promise<Finding | undefined> {
  const signedBy = (signature: string): TestDelivery => ({
    ...shot,
    headers: { [HEADERS.signature]: signature, [HEADERS.webhookSignature]: undefined },
  });
  // A handler that takes any signature now and then would make every guess look right.
  const control = await sendOne(signedBy('0'.repeat(64)), options);
  if (!isClientError(control.status)) return undefined;
  const beside = deliveryHeaders(shot.deliveryId, options.now(), shot.body, [options.secret]);
  for (const { signature, mistake } of signatureGuesses(shot.body, options.secret, beside)) {
    const { status } = await sendOne(signedBy(signature), options);
    if (status !== null && status >= 200 && status < 300) return finding(mistake);
  }
  return undefined;
}
