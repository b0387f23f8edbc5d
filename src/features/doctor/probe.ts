import { randomUUID } from 'node:crypto';
import { toSvcError } from '../../cli/errors/to-svc-error.ts';
import type { Client } from '../../client/client.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { serviceEvidence } from './recognise.ts';

const WARM_UP = 3;
const TRIES = 20;
/** Specification: P95 of decisions on the regional endpoint. */
const TARGET_MS = 100;

export interface Probe {
  readonly check: Check;
  /** The feature of an answer that identifies the service, as text; undefined if none does. */
  readonly evidence: string | undefined;
}

/**
 * Measures the latency of sequential decisions for a random user with a contact limit of 0. They are logged and count
 * against the rate limit, and no user gets a message.
 */
export async function probeDecisions(client: Client, signal: AbortSignal): Promise<Probe> {
  const body = { hashId: `svc-doctor-${randomUUID()}`, guardrails: { maxDailyContacts: 0 } };
  const times: number[] = [];
  let evidence: string | undefined;
  try {
    for (let turn = 0; turn < WARM_UP + TRIES; turn++) {
      const start = performance.now();
      const answer = await client.call('decide', { body, signal });
      evidence ??= serviceEvidence(answer);
      if (turn >= WARM_UP) times.push(performance.now() - start);
    }
  } catch (error) {
    return { check: fail('decide', toSvcError(error, false)), evidence };
  }
  times.sort((a, b) => a - b);
  const p95 = times[Math.ceil(TRIES * 0.95) - 1]!;
  const seen = `P95 ${p95.toFixed(0)} ms, median ${times[TRIES / 2]!.toFixed(0)} ms over ${TRIES} decisions; the target is ${TARGET_MS} ms`;
  const check =
    p95 < TARGET_MS
      ? ok('decide', seen)
      : warn('decide', seen, 'run closer to the region, and reuse connections; see the region row');
  return { check, evidence };
}
