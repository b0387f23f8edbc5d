import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signBody } from '../../../../src/contract/signature.ts';
import { bodyVariants } from '../../../../src/features/listen/signature-diagnosis/body-variants.ts';
import { type Diagnosis, diagnose } from '../../../../src/features/listen/signature-diagnosis/diagnose.ts';
import { verifySignature } from '../../../../src/features/listen/verify-signature.ts';

const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';

/** Returns undefined where the signature of `signed` matches the received body. */
function explain(arrived: string | Buffer, signed: string | Buffer): Diagnosis | undefined {
  const evidence = {
    headers: { 'x-service-signature': signBody(Buffer.from(signed as string), SECRET) },
    body: Buffer.from(arrived as string),
    secrets: [{ name: 'given', secret: SECRET }],
    others: [],
  };
  if (verifySignature(evidence.headers, evidence.body, evidence.secrets).verified) return undefined;
  return diagnose(evidence);
}

const hexOf = (bytes: string | Buffer) => Buffer.from(bytes as string).toString('hex');

/** Returns all bytes that a diagnosis of the received body compares with the signature, in hex. */
const variantsOf = (received: string) =>
  new Set(
    [...bodyVariants(Buffer.from(received), { id: undefined, timestamp: undefined })].flatMap((variant) =>
      variant ? [hexOf(variant.bytes)] : [],
    ),
  );

const namesOf = (found: Diagnosis) =>
  [found, ...('also' in found ? (found.also ?? []) : [])].map(({ name }) => name);

// ---- transformations of a body, independent of the code under test

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('café', '<b>&</b>', 'a/b', "it's", '"', '\u2028', '\u007f', '😀', '\t', '日本', 'x+y=z'),
);
const name = fc.oneof(
  fc.constantFrom('type', 'hashId', 'contentId', 'amount', 'ü'),
  fc.string({ maxLength: 5 }).filter((one) => !/^\d/.test(one) && one !== '__proto__'),
);
const number = fc.oneof(fc.constantFrom(0, 1, 10, -3, 0.1, -2.5, 1e-7, 1e21, 123456789), fc.integer());
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const body = fc.dictionary(name, value, { minKeys: 1, maxKeys: 6, noNullPrototype: true });

const sorted = (item: unknown): unknown =>
  Array.isArray(item)
    ? item.map(sorted)
    : item !== null && typeof item === 'object'
      ? Object.fromEntries(
          Object.entries(item)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : item;
const asUnicodeEscape = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

interface Change {
  readonly name: string;
  readonly make: (json: string) => string;
}
const LAYOUTS: Change[] = ['', '  ', '    ', '\t'].map((indent) => ({
  name: indent === '' ? 're-serialised-body' : 'pretty-printed-body',
  make: (json) => JSON.stringify(JSON.parse(json), null, indent),
}));
const ESCAPES: Change['make'][] = [
  (json) => json,
  (json) => json.replace(/[\u0080-\uffff]/g, asUnicodeEscape).replaceAll('\u007f', '\\u007f'),
  (json) => json.replace(/[<>&\u2028\u2029]/g, asUnicodeEscape),
  (json) => json.replaceAll('/', '\\/'),
];
const AROUND: Change[] = [
  { name: 'line-endings', make: (json) => json.replaceAll('\n', '\r\n') },
  { name: 'trailing-newline', make: (json) => `${json}\n` },
  { name: 'byte-order-mark', make: (json) => `\ufeff${json}` },
];
const LAST: Change[] = [
  { name: 'decoded-as-latin1', make: (json) => Buffer.from(json).toString('latin1') },
  { name: 'base64-body', make: (json) => Buffer.from(json).toString('base64') },
  { name: 'double-encoded', make: (json) => JSON.stringify(json) },
];

const combination = fc.record({
  layout: fc.constantFrom(...LAYOUTS),
  escaped: fc.constantFrom(...ESCAPES),
  isSorted: fc.boolean(),
  around: fc.subarray(AROUND, { maxLength: 2 }),
});

type Combination = typeof combination extends fc.Arbitrary<infer C> ? C : never;

/** Applies a combination. `made` lists the mistakes that changed the body. */
function apply(json: string, { layout, escaped, isSorted, around }: Combination) {
  const written = escaped(layout.make(isSorted ? JSON.stringify(sorted(JSON.parse(json))) : json));
  const made = written === json ? [] : [layout.name];
  let out = written;
  for (const one of around) {
    const next = one.make(out);
    if (next !== out) made.push(one.name);
    out = next;
  }
  return { out, made };
}

describe('any combination of re-serialising and wrapping', () => {
  const compact = body.map((one) => JSON.stringify(one));

  it('before arrival is named completely', () => {
    fc.assert(
      fc.property(compact, combination, (signed, combined) => {
        const { out, made } = apply(JSON.stringify(sorted(JSON.parse(signed))), combined);
        const found = explain(out, JSON.stringify(sorted(JSON.parse(signed))));
        if (found) expect(made).toEqual(expect.arrayContaining(namesOf(found)));
        else expect(made).toEqual([]);
      }),
    );
  });

  it('in the receiver is named completely', () => {
    fc.assert(
      fc.property(compact, combination, (arrived, combined) => {
        const { out, made } = apply(arrived, combined);
        const found = explain(arrived, out);
        expect(found ? namesOf(found).sort() : []).toEqual(made.sort());
      }),
    );
  });

  it.each(LAST)('is named together with $name', (last) => {
    fc.assert(
      fc.property(compact, fc.constantFrom(...LAYOUTS, ...AROUND), (arrived, first) => {
        const changed = first.make(arrived);
        const out = last.make(changed);
        const made = [...(changed === arrived ? [] : [first.name]), ...(out === changed ? [] : [last.name])];
        const found = explain(arrived, out);
        expect(found ? namesOf(found) : []).toEqual(made);
        expect(explain(out, arrived)?.name).not.toBe('unknown');
      }),
      { numRuns: 30 },
    );
  });

  it('is not found where the content differs', () => {
    const forms = LAYOUTS.flatMap((layout) =>
      ESCAPES.flatMap((escaped) =>
        [false, true].flatMap((isSorted) =>
          [[], AROUND.slice(0, 1), AROUND.slice(1)].map((around) => ({ layout, escaped, isSorted, around })),
        ),
      ),
    );
    fc.assert(
      fc.property(compact, combination, text, (signed, combined, more) => {
        const other = JSON.stringify({ ...JSON.parse(signed), contentId: `other ${more}` });
        const tried = variantsOf(apply(other, combined).out);
        expect(tried.size).toBeGreaterThan(100);
        for (const form of forms) expect(tried).not.toContain(hexOf(apply(signed, form).out));
      }),
      { numRuns: 8 },
    );
  });

  it('is not reported where the content differs', () => {
    for (const signed of fc.sample(compact, 2)) {
      const other = JSON.stringify({ ...JSON.parse(signed), contentId: 'other' });
      expect(explain(other, signed)).toMatchObject({ name: 'unknown' });
    }
  });
});

/** Reads a JSON array of texts from standard input, and serializes each in several forms. */
const PYTHON = `
import json, sys
forms = [
    lambda t: json.dumps(json.loads(t)),
    lambda t: json.dumps(json.loads(t), ensure_ascii=False),
    lambda t: json.dumps(json.loads(t), separators=(",", ":")),
    lambda t: json.dumps(json.loads(t), indent=4, sort_keys=True),
    lambda t: json.dumps(json.loads(t), indent=2, ensure_ascii=False),
    lambda t: str(json.loads(t)),
]
json.dump([[form(t) for form in forms] for t in json.load(sys.stdin)], sys.stdout)
`;

it('explains every form that json and str() of Python produce, sent or signed', () => {
  const literal = fc.constantFrom('1.0', '1e3', '-0', '1E-7', '-0.0', '12345678901234567890', '1e16', '0.1');
  const compact = fc
    .record({ first: body, literal })
    .map(({ first, literal: n }) => JSON.stringify({ first, n: 'NUMBER' }).replace('"NUMBER"', n));
  const bodies = fc.sample(compact, 40);
  const made: string[][] = JSON.parse(
    execFileSync('python3', ['-c', PYTHON], { input: JSON.stringify(bodies), encoding: 'utf8' }),
  );
  const PYTHON_DICT = 5;
  for (const [i, arrived] of bodies.entries()) {
    for (const [form, signed] of made[i]!.entries()) {
      const found = explain(arrived, signed);
      expect(found?.name, `${arrived} signed as ${signed}`).not.toBe('unknown');
      if (form === PYTHON_DICT) expect(found?.name).toBe('python-dict-text');
    }
    // Written by Python, then parsed and serialized by JavaScript.
    const [, wide] = made[i] as [string, string];
    const onTheWay = explain(made[i]![PYTHON_DICT]!, wide);
    expect(onTheWay?.name, `${made[i]![PYTHON_DICT]} signed as ${wide}`).toBe('python-dict-text');
  }
}, 300_000);
