import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delivery, readBody } from '../../../src/features/listen/delivery.ts';
import type { Report } from '../../../src/features/listen/receiver.ts';
import { jsonLine, TextRenderer } from '../../../src/features/listen/report-view.ts';
import { diagnose } from '../../../src/features/listen/signature-diagnosis/diagnose.ts';

const at = Date.UTC(2026, 0, 31, 12);
const delivered = (bytes: Buffer): Delivery => ({
  receivedAt: at,
  headers: { 'webhook-id': 'm1' },
  rawHeaders: [],
  body: bytes,
  ...readBody(bytes),
});
const eventOf = (text: string | Buffer, more = {}): Report => ({
  type: 'event',
  delivery: delivered(Buffer.from(text as string)),
  duplicate: false,
  forwarded: undefined,
  ...more,
});
const rejected = (header: string): Report => ({
  type: 'rejected',
  receivedAt: at,
  method: 'POST',
  reason: 'malformed_signature',
  diagnosis: diagnose({
    headers: { 'x-service-signature': header },
    body: Buffer.from('Hello, World!'),
    secrets: [{ name: 'given', secret: "It's a Secret to Everybody" }],
    others: [],
  }),
});
const GITHUB = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

describe('jsonLine', () => {
  it('has the documented members', () => {
    expect(JSON.parse(jsonLine(eventOf('{"type":"campaign.clicked"}')))).toEqual({
      type: 'event',
      receivedAt: '2026-01-31T12:00:00.000Z',
      verified: true,
      duplicate: false,
      headers: { 'webhook-id': 'm1' },
      body: { type: 'campaign.clicked' },
    });
    const forwarded = { url: 'http://h/', status: 200, ok: true, durationMs: 3 };
    expect(JSON.parse(jsonLine(eventOf('1', { forwarded })))).toMatchObject({ body: 1, forwarded });
    expect(JSON.parse(jsonLine(rejected(`sha256=${GITHUB}`)))).toMatchObject({
      type: 'rejected',
      receivedAt: '2026-01-31T12:00:00.000Z',
      reason: 'malformed_signature',
      diagnosis: {
        name: 'sha256-prefix',
        summary: expect.stringContaining('sha256='),
        fix: { go: expect.any(String) },
      },
    });
  });

  it('preserves the spelling of a JSON body', () => {
    expect(jsonLine(eventOf('{"b": 12345678901234567890,\r\n "a":1.0}'))).toContain(
      '"body":{"b": 12345678901234567890,  "a":1.0}',
    );
  });

  it('is one line of JSON from which any body can be restored', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const line = jsonLine(eventOf(JSON.stringify(value, null, indent)));
        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line).body).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const line = jsonLine(eventOf(Buffer.from(bytes)));
        expect(line).not.toMatch(/[\r\n]/);
        const { body, bodyBase64 } = JSON.parse(line);
        if (bodyBase64 !== undefined) expect(Buffer.from(bodyBase64, 'base64').equals(bytes)).toBe(true);
        else if (typeof body === 'string') expect(Buffer.from(bytes).toString('utf8')).toContain(body);
      }),
    );
  });
});

describe('TextRenderer', () => {
  it('shows an event on one line', () => {
    const forwarded = {
      url: 'http://127.0.0.1:3000/',
      status: 502,
      ok: false,
      durationMs: 2,
      error: 'connect ECONNREFUSED',
    };
    const [line, ...rest] = new TextRenderer(undefined).lines(
      eventOf('{"type":"campaign.clicked","contentId":"summer","hashId":"9f","decisionId":null}', {
        duplicate: true,
        forwarded,
      }),
    );
    expect(rest).toEqual([]);
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d {2}✗ {2}campaign.clicked {2}summer {2}user 9f {2}\(seen before\) {2}→ http:\/\/127.0.0.1:3000\/ {2}failed: 502 in 2 ms \(connect ECONNREFUSED\)$/,
    );
  });

  it('keeps values with line breaks on one line', () => {
    const event = { type: 'campaign\nclicked', contentId: 'a\n12:00:00  ✓  campaign.clicked' };
    const lines = new TextRenderer(undefined).lines(eventOf(JSON.stringify(event)));
    expect(lines.join('').split('\n')).toHaveLength(1);
  });

  it('fits in 80 columns: wraps words and shortens long identifiers, but not code', () => {
    const renderer = new TextRenderer(80);
    const id = 'f'.repeat(64);
    const forwarded = { url: 'http://127.0.0.1:3000/webhooks', status: 200, ok: true, durationMs: 12 };
    const event = { type: 'decision.actioned', contentId: 'summer', hashId: id, decisionId: `dec_${id}` };
    const shown = renderer.lines(eventOf(JSON.stringify(event), { duplicate: true, forwarded }));
    for (const header of [`sha256=${GITHUB}`, GITHUB.toUpperCase(), 'nonsense', '0'.repeat(64)]) {
      shown.push(...renderer.lines(rejected(header)));
    }
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(shown.join(' ').replace(/\s+/g, ' ')).toContain('Remove the prefix where it is written.');
  });

  it('shows the fix of a mistake once', () => {
    const renderer = new TextRenderer(undefined);
    const first = renderer.lines(rejected(`sha256=${GITHUB}`)).join('\n');
    expect(first).toMatch(/401 {2}sha256-prefix\n.*sha256=.*\n.*Node .*\n.*Python .*\n.*Go /);
    const second = renderer.lines(rejected(`sha256=${GITHUB}`)).join('\n');
    expect(second).toContain('sha256-prefix');
    expect(second).not.toContain('Python');
    expect(renderer.lines(rejected(GITHUB.toUpperCase())).join('\n')).toContain('Python');
  });
});
