/**
 * Explains why a signature does not match: tries the known mistakes, alone and combined, and returns the smallest set
 * that fits. A delivery that is explained remains refused.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HEADERS } from '../../../contract/headers.ts';
import { signStandardWebhook } from '../../../contract/signature.ts';
import { memoizedIterator } from '../../../kit/memoized-iterator.ts';
import { headerOf, type NamedSecret } from '../verify-signature.ts';
import { type BodyVariant, bodyVariants, type SignedMetadata } from './body-variants.ts';
import { type Reading, readSignature } from './header-readings.ts';
import { type KeyVariant, keyVariants } from './key-variants.ts';
import { type AppliedMistake, type Fix, MISTAKES, type MistakeName } from './mistakes.ts';

export interface Finding {
  readonly name: MistakeName;
  readonly summary: string;
  readonly fix: Fix;
}

/** The result of a diagnosis: `unknown` where no known mistake fits; `also` lists further mistakes in combination. */
export type Diagnosis =
  | (Finding & { readonly also?: readonly Finding[] })
  | { readonly name: 'unknown'; readonly summary: string };

export interface Evidence {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The secrets that the delivery should be signed with. */
  readonly secrets: readonly NamedSecret[];
  /** Secrets of other profiles, which are easily confused. */
  readonly others: readonly NamedSecret[];
}

/** `shallow` tries the received body with every key, and no other form of the body. */
export type Depth = 'full' | 'shallow';

type Search = Generator<undefined, AppliedMistake[] | undefined, undefined>;

/** Maximum bytes to hash for combinations of a body mistake and a key mistake. */
const MAX_PAIR_BYTES = 4 * 1024 * 1024;
/** Headers that other services use for a signature. */
const OTHER_HEADERS = /signature|hmac|x-hub/;
/** Maximum number of such headers to examine; each costs as much as a whole diagnosis. */
const MAX_OTHER_HEADERS = 4;

const NOT_FULLY_SEARCHED: Diagnosis = {
  name: 'unknown',
  summary:
    'No other secret fits, and the body is too large to try other forms of it here. Use `svc webhooks verify`, which does.',
};
const UNKNOWN: Diagnosis = {
  name: 'unknown',
  summary:
    'No known mistake fits: the body was changed after signing, or it was signed with a secret that this machine does not have.',
};

/**
 * Diagnoses a delivery that `verifySignature` refused. Never throws. The work is bounded: a few seconds for a hostile
 * body of 1 MiB.
 */
export function diagnose(evidence: Evidence): Diagnosis {
  const steps = diagnoseInSteps(evidence);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Diagnoses in steps: yields every few ms for a body of up to 32 KiB, so that the caller can pause. */
export function* diagnoseInSteps(
  evidence: Evidence,
  depth: Depth = 'full',
): Generator<undefined, Diagnosis, undefined> {
  const header = headerOf(evidence.headers, HEADERS.signature);
  if (header === undefined || header === '') return yield* explainMissing(evidence, depth);
  const readings = readSignature(header);
  if (readings.length === 0) return diagnosis([{ name: 'not-a-signature' }]);
  if (standardSignatureMatches(evidence)) return diagnosis([{ name: 'rotated-secret' }]);
  const found = yield* search(readings, evidence, depth);
  return found ? diagnosis(found) : depth === 'full' ? UNKNOWN : NOT_FULLY_SEARCHED;
}

function* explainMissing(evidence: Evidence, depth: Depth): Generator<undefined, Diagnosis, undefined> {
  const others = Object.keys(evidence.headers).filter(
    (name) => OTHER_HEADERS.test(name) && name !== HEADERS.webhookSignature,
  );
  for (const name of others.slice(0, MAX_OTHER_HEADERS)) {
    const readings = readSignature(headerOf(evidence.headers, name) ?? '');
    const found = yield* search(readings, evidence, depth);
    if (found) return diagnosis([{ name: 'wrong-header', detail: name }, ...found]);
  }
  return diagnosis([{ name: 'missing-header' }]);
}

/** Returns the smallest set of mistakes that produces one of the digests; undefined where none fits. */
function* search(
  readings: readonly Reading[],
  { headers, body, secrets, others }: Evidence,
  depth: Depth,
): Search {
  if (readings.length === 0) return undefined;
  const metadata: SignedMetadata = {
    id: headerOf(headers, HEADERS.webhookId),
    timestamp: readings[0]?.timestamp ?? headerOf(headers, HEADERS.webhookTimestamp),
  };
  const received: BodyVariant = { bytes: body, mistakes: [] };
  const bodies = memoizedIterator(depth === 'full' ? bodyVariants(body, metadata) : [received].values());
  let best: AppliedMistake[] | undefined;
  for (const { secret } of secrets) {
    const [right, ...wrong] = keyVariants(secret, others) as [KeyVariant, ...KeyVariant[]];
    const digest = memoizedHmac();
    const attempt = (variant: BodyVariant, key: KeyVariant) => {
      best = fewer(best, matchReadings(readings, variant, key, digest));
    };
    for (const variant of bodies()) {
      yield;
      if (variant) attempt(variant, right);
      if (best !== undefined) break; // ordered by the number of mistakes
    }
    for (const key of wrong) {
      yield;
      attempt(received, key);
    }
    best = fewer(best, matchOtherConstructions(readings, body, secret));
    if (best !== undefined || depth === 'shallow') continue;
    let bytes = 0;
    for (const variant of bodies()) {
      if (variant === undefined) continue;
      if (variant.mistakes.length > 1) break;
      for (const key of wrong) {
        yield;
        attempt(variant, key);
      }
      bytes += variant.bytes.length * wrong.length;
      if (bytes > MAX_PAIR_BYTES) break;
    }
  }
  return best;
}

type Digest = (algorithm: Reading['algorithm'], variant: BodyVariant, key: KeyVariant) => Buffer;

/** Memoizes the HMAC of the most recent pair of body and key, by algorithm. */
function memoizedHmac(): Digest {
  let last: { variant: BodyVariant; key: KeyVariant; made: Map<string, Buffer> } | undefined;
  return (algorithm, variant, key) => {
    if (last?.variant !== variant || last.key !== key) last = { variant, key, made: new Map() };
    const made = last.made.get(algorithm) ?? createHmac(algorithm, key.key).update(variant.bytes).digest();
    last.made.set(algorithm, made);
    return made;
  };
}

function matchReadings(
  readings: readonly Reading[],
  variant: BodyVariant,
  key: KeyVariant,
  digest: Digest,
): AppliedMistake[] | undefined {
  let best: AppliedMistake[] | undefined;
  for (const reading of readings) {
    if (!reading.digest.equals(digest(reading.algorithm, variant, key))) continue;
    best = fewer(best, [...variant.mistakes, ...key.mistakes, ...reading.mistakes]);
  }
  return best;
}

/** Matches digests that are not an HMAC of the body with the secret as the key. */
function matchOtherConstructions(
  readings: readonly Reading[],
  body: Buffer,
  secret: string,
): AppliedMistake[] | undefined {
  const sha256 = (...parts: Array<string | Buffer>) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const made: Array<[MistakeName, Buffer]> = [
    ['plain-hash', sha256(body)],
    ['concatenated-hash', sha256(secret, body)],
    ['concatenated-hash', sha256(body, secret)],
    ['swapped-arguments', createHmac('sha256', body).update(secret).digest()],
  ];
  for (const [name, digest] of made) {
    const reading = readings.find((r) => r.digest.equals(digest));
    if (reading) return [{ name }, ...reading.mistakes];
  }
  return undefined;
}

function fewer(
  a: AppliedMistake[] | undefined,
  b: AppliedMistake[] | undefined,
): AppliedMistake[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.length < a.length ? b : a;
}

function standardSignatureMatches({ headers, body, secrets }: Evidence): boolean {
  const id = headerOf(headers, HEADERS.webhookId);
  const timestamp = headerOf(headers, HEADERS.webhookTimestamp);
  const values = headerOf(headers, HEADERS.webhookSignature)?.split(' ') ?? [];
  if (id === undefined || timestamp === undefined || !/^\d{1,15}$/.test(timestamp)) return false;
  // A service sends several values while a secret is rotated. With one value, the two headers simply disagree.
  if (values.length < 2) return false;
  return secrets.some(({ secret }) =>
    values.includes(signStandardWebhook(id, Number(timestamp), body, secret)),
  );
}

function diagnosis(applied: readonly AppliedMistake[]): Diagnosis {
  const findings = applied.map(({ name, detail }) => ({
    name,
    summary: MISTAKES[name].summary(detail ?? ''),
    fix: MISTAKES[name].fix,
  }));
  const [first, ...also] = findings as [Finding, ...Finding[]];
  return also.length === 0 ? first : { ...first, also };
}
