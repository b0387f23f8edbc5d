/** Runs every conformance case against a handler, and identifies the mistake it makes (`webhooks test`). */

import { HEADERS } from '../../../contract/headers.ts';
import { signedHeaders } from '../../../contract/signed-headers.ts';
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
  /** Status of the answer; null where there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why the row failed. */
  readonly why?: string;
  /** The known mistake that the handler makes. */
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
  /** Pause between two of the nine chunks of a slow body; 220 by default. */
  readonly slowPauseMs?: number;
  readonly signal?: AbortSignal;
}

/** No connection to the handler can be made. */
export class HandlerUnreachable extends Error {}

const OTHER_SECRET = 'not-the-secret-of-this-subscription';
/** Chunks of a slow body; the boundaries split multi-byte characters. */
const CHUNKS = 9;
const PAUSE_MS = 220;

/** Runs the cases in order and yields a row for each. Throws HandlerUnreachable where the first one cannot connect. */
export async function* conformance(options: RunOptions): AsyncGenerator<Row> {
  const make = deliveryFactory(options.now(), options.newId, OTHER_SECRET);
  let known: Finding | undefined;
  let validStatus: number | null = null;
  for (const testCase of CASES) {
    const deliveries = testCase.deliveries(make);
    const result = await sendAll(deliveries, options);
    if (options.signal?.aborted) return;
    if (testCase === CASES[0] && result.status === null && result.code !== 'TIMEOUT') {
      throw new HandlerUnreachable(result.error);
    }
    const passed = isExpected(testCase, result.status);
    if (
      !passed &&
      known === undefined &&
      isClientError(result.status) &&
      DIAGNOSED_CASES.has(testCase.name)
    ) {
      known = await guess(deliveries[0] as TestDelivery, options);
    }
    yield row(testCase, result, passed, { known, validStatus });
    if (testCase === CASES[0] && !passed) validStatus = result.status;
  }
}

/** Cases that are repeated with the known mistakes when the handler refuses them. */
const DIAGNOSED_CASES = new Set(['valid', 'other spelling']);

const isExpected = ({ expects }: Case, status: number | null) =>
  status !== null && (expects === 'accepted' ? status >= 200 && status < 300 : status === 401);
const isClientError = (status: number | null) => status !== null && status >= 400 && status < 500;

interface RunState {
  /** The mistake that the handler makes, once identified. */
  readonly known: Finding | undefined;
  /** Status of the answer to the valid delivery, where it was not accepted. */
  readonly validStatus: number | null;
}

function row(
  testCase: Case,
  result: Answer | NoAnswer,
  passed: boolean,
  { known, validStatus }: RunState,
): Row {
  const { name, tries, expects } = testCase;
  const { status, durationMs } = result;
  const base = {
    name,
    tries,
    passed,
    expected: expects === 'accepted' ? '2xx' : '401',
    status,
    durationMs,
  } as const;
  if (passed) return base;
  if (known && expects === 'accepted' && isClientError(status)) {
    return {
      ...base,
      why: `the handler makes a known mistake. ${known.summary}`,
      mistake: known.name,
      fix: known.fix,
    };
  }
  // The cause is the same as that of the first row, not what this case tries.
  if (expects === 'accepted' && status !== null && status === validStatus) {
    return { ...base, why: 'refused like the valid delivery: fix that first' };
  }
  return { ...base, ...adviceFor(testCase, status, result.status === null ? result.error : undefined) };
}

/** Sends the deliveries of a case in order. Returns the first answer that is not a 2xx, else the last one. */
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
    ...signedHeaders(shot.deliveryId, now() + (shot.laterMs ?? 0), shot.signed ?? shot.body, [
      shot.secret ?? secret,
    ]),
    ...shot.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  return deliverer.post(url, shot.body, lines, {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(signal ? { signal } : {}),
    ...(shot.slow ? { chunks: { count: CHUNKS, pauseMs: slowPauseMs ?? PAUSE_MS } } : {}),
  });
}

/** Identifies the mistake with which the handler computes the signature. */
async function guess(shot: TestDelivery, options: RunOptions): Promise<Finding | undefined> {
  const withSignature = (signature: string): TestDelivery => ({
    ...shot,
    headers: { [HEADERS.signature]: signature, [HEADERS.webhookSignature]: undefined },
  });
  // A handler that accepts arbitrary signatures would make every guess look right.
  const control = await sendOne(withSignature('0'.repeat(64)), options);
  if (!isClientError(control.status)) return undefined;
  const metadata = signedHeaders(shot.deliveryId, options.now(), shot.body, [options.secret]);
  for (const { signature, mistake } of signatureGuesses(shot.body, options.secret, metadata)) {
    const { status } = await sendOne(withSignature(signature), options);
    if (status !== null && status >= 200 && status < 300) return finding(mistake);
  }
  return undefined;
}
