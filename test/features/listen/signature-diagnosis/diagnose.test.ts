import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Diagnosis, diagnose } from '../../../../src/features/listen/signature-diagnosis/diagnose.ts';
import { MISTAKES } from '../../../../src/features/listen/signature-diagnosis/mistakes.ts';
import { verifySignature } from '../../../../src/features/listen/verify-signature.ts';

import {
  base64,
  COMPACT,
  EXAMPLES,
  event,
  SECRET,
  type Sent,
  STAGING,
  sign,
} from '../../../support/listen/mistake-examples.ts';

function explain({ body = COMPACT, signature, secret = SECRET, headers = {} }: Sent): Diagnosis {
  const evidence = {
    headers: { ...headers, ...(signature === null ? {} : { 'x-service-signature': signature }) },
    body: Buffer.from(body as string),
    secrets: [{ name: 'profile prod', secret }],
    others: [{ name: 'profile staging', secret: STAGING }],
  };
  expect(verifySignature(evidence.headers, evidence.body, evidence.secrets).verified).toBe(false);
  return diagnose(evidence);
}

describe('diagnose', () => {
  it.each(EXAMPLES)('%s: %s', (name, _how, sent) => {
    const found = explain(sent());
    expect(found.name).toBe(name);
    expect(found).not.toHaveProperty('also');
    expect(found).toHaveProperty('fix.node');
  });

  it('has an example of every mistake in the catalog', () => {
    expect([...new Set(EXAMPLES.map(([name]) => name))].sort()).toEqual(Object.keys(MISTAKES).sort());
  });

  it('has a sentence and a line of Node, Python and Go for every mistake', () => {
    for (const [name, { summary, fix }] of Object.entries(MISTAKES)) {
      expect(summary('x'), name).toMatch(/^[A-Z].*\.$/);
      for (const line of [fix.node, fix.python, fix.go]) expect(line, name).toMatch(/^[^\n]{10,68}$/);
    }
  });

  it('names combined mistakes', () => {
    const both = explain({ body: JSON.stringify(event, null, 2), signature: base64(COMPACT) });
    expect(both).toMatchObject({ name: 'pretty-printed-body', also: [{ name: 'base64-signature' }] });
    const prefixed = explain({
      signature: `sha256=${sign(COMPACT, Buffer.from(SECRET, 'hex')).toUpperCase()}`,
    });
    expect(prefixed).toMatchObject({
      name: 'secret-decoded-from-hex',
      also: [{ name: 'sha256-prefix' }, { name: 'upper-case-hex' }],
    });
    const elsewhere = explain({
      signature: null,
      headers: { 'x-hub-signature-256': `sha256=${sign(COMPACT)}` },
    });
    expect(elsewhere).toMatchObject({ name: 'wrong-header', also: [{ name: 'sha256-prefix' }] });
  });

  it('names the source of another secret', () => {
    expect(explain({ signature: sign(COMPACT, STAGING) }).summary).toContain('profile staging');
    const decoded = explain({ signature: sign(COMPACT, Buffer.from(STAGING, 'hex')) });
    expect(decoded).toMatchObject({ name: 'other-secret', also: [{ name: 'secret-decoded-from-hex' }] });
  });

  it('returns unknown for a tampered body', () => {
    const tampered = explain({ body: COMPACT.replace('dec_81', 'dec_82'), signature: sign(COMPACT) });
    expect(tampered).toEqual({ name: 'unknown', summary: expect.stringContaining('No known mistake fits') });
  });

  it('tries the likely mistakes on a large body', () => {
    const large = { ...event, padding: 'x'.repeat(900_000) };
    const body = JSON.stringify(large, null, 2);
    expect(explain({ body, signature: sign(JSON.stringify(large)) }).name).toBe('pretty-printed-body');
    expect(explain({ body, signature: sign(body, Buffer.from(SECRET, 'hex')) }).name).toBe(
      'secret-decoded-from-hex',
    );
  });

  it('bounds the work for hostile bodies and headers', () => {
    const wrong = '0'.repeat(64);
    for (const body of [
      `x${' '.repeat(1_000_000)}x`,
      `A${'\n'.repeat(1_000_000)}!`,
      `1${'0'.repeat(100_000)}1`,
    ])
      expect(explain({ body, signature: wrong }).name).toBe('unknown');
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-signature-${i}`, wrong]));
    expect(explain({ signature: null, headers }).name).toBe('missing-header');
  });

  it('never throws, and never explains a random signature', () => {
    const deep = Buffer.from('['.repeat(60_000) + ']'.repeat(60_000));
    expect(explain({ body: deep, signature: '0'.repeat(64) }).name).toBe('unknown');
    expect(explain({ body: Buffer.from([0x1f, 0x8b, 1, 2]), signature: '0'.repeat(64) }).name).toBe(
      'unknown',
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' }), (body, header) => {
        const found = diagnose({
          headers: {
            'x-service-signature': header,
            'webhook-timestamp': header,
            'webhook-signature': header,
          },
          body: Buffer.from(body),
          secrets: [{ name: 'given', secret: SECRET }],
          others: [],
        });
        expect(['unknown', 'not-a-signature', 'missing-header']).toContain(found.name);
      }),
    );
  });
});
