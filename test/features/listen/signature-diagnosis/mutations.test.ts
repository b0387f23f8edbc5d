import { describe, expect, it } from 'vitest';
import { signBody } from '../../../../src/contract/signature.ts';
import { diagnose } from '../../../../src/features/listen/signature-diagnosis/diagnose.ts';
import { verifySignature } from '../../../../src/features/listen/verify-signature.ts';

const MUTATIONS = 100_000;
/** One in this many is also diagnosed, which costs several thousand times as much as the verification. */
const EXPLAIN_EVERY = 1000;

/** Returns a seeded random generator (mulberry32), so that failures are reproducible. */
function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type Pick = (below: number) => number;

/** Changes at least one byte: flips, inserts, removes, truncates or rotates, once or several times. */
function mutate(bytes: Buffer, pick: Pick): Buffer {
  let out = Buffer.from(bytes);
  do {
    const at = pick(out.length + 1);
    switch (pick(5)) {
      case 0:
        if (at < out.length) out[at] = (out[at] as number) ^ (1 << pick(8));
        break;
      case 1:
        out = Buffer.concat([out.subarray(0, at), Buffer.from([pick(256)]), out.subarray(at)]);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, at), out.subarray(at + 1)]);
        break;
      case 3:
        out = Buffer.from(out.subarray(0, at));
        break;
      default:
        out = Buffer.concat([out.subarray(at), out.subarray(0, at)]);
    }
  } while (out.equals(bytes) || pick(4) === 0);
  return out;
}

describe('100,000 mutations of body, secret and header', () => {
  it('are never accepted and never throw', () => {
    const secret = 'f3a1c05e9d7b2486f3a1c05e9d7b2486';
    const body = Buffer.from(
      '{"type":"campaign.clicked","decisionId":"dec_1","contentId":"café","hashId":"9f"}',
    );
    const signature = signBody(body, secret);
    const verdict = (b: Buffer, s: string, header: string) => {
      const evidence = {
        headers: { 'x-service-signature': header },
        body: b,
        secrets: [{ name: 'given', secret: s }],
      };
      return { evidence, verified: verifySignature(evidence.headers, b, evidence.secrets).verified };
    };
    expect(verdict(body, secret, signature).verified).toBe(true);

    const pick = generator(20261121);
    let accepted = 0;
    const named = new Map<string, number>();
    for (let n = 0; n < MUTATIONS; n++) {
      const part = n % 3;
      const { evidence, verified } = verdict(
        part === 0 ? mutate(body, pick) : body,
        part === 1 ? mutate(Buffer.from(secret), pick).toString('latin1') : secret,
        part === 2 ? mutate(Buffer.from(signature), pick).toString('latin1') : signature,
      );
      if (verified) accepted++;
      if (n % EXPLAIN_EVERY === 0) {
        const { name } = diagnose({ ...evidence, others: [] });
        named.set(name, (named.get(name) ?? 0) + 1);
      }
    }
    expect(accepted).toBe(0);
    expect([...named.values()].reduce((a, b) => a + b)).toBe(MUTATIONS / EXPLAIN_EVERY);
    expect(named.get('unknown')).toBeGreaterThan(MUTATIONS / EXPLAIN_EVERY / 2);
  }, 300_000);
});
