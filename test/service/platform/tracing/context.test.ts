import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  childOf,
  parseTraceparent,
  traceparentOf,
} from '../../../../src/service/platform/tracing/context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

it('reads the examples of the recommendation, and later versions with more fields', () => {
  const context = { traceId: trace, spanId: span, flags: 1 };
  expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual(context);
  expect(parseTraceparent(`cc-${trace}-${span}-01-what-the-future-will-be`)).toEqual(context);
  expect(parseTraceparent(`00-${trace}-${span}-fe`)).toEqual({ ...context, flags: 2 });
});

it.each([
  '',
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
  `cc-${trace}-${span}-01.more`,
  `ff-${trace}-${span}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  ` 00-${trace}-${span}-01`,
  `00-${trace}-${span}-01\n`,
  `cc-${trace}-${span}-01-${'x'.repeat(10_000)}`,
])('ignores %j', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

it('writes what it reads, and never anything longer', () => {
  const digits = (length: number) =>
    fc
      .stringMatching(new RegExp(`^[0-9a-f]{${length}}$`))
      .filter((text) => text.length === length && !/^0+$/.test(text));
  fc.assert(
    fc.property(digits(32), digits(16), fc.integer({ min: 0, max: 3 }), (traceId, spanId, flags) => {
      const context = { traceId, spanId, flags };
      const text = traceparentOf(context);
      expect(text).toHaveLength(55);
      expect(parseTraceparent(text)).toEqual(context);
      const child = parseTraceparent(traceparentOf(childOf(context)))!;
      expect(child).toMatchObject({ traceId, flags });
      expect(child.spanId).not.toBe(spanId);
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (text) => {
      const read = parseTraceparent(text);
      expect(
        read === undefined || text.startsWith(`${text.slice(0, 3)}${read.traceId}-${read.spanId}-`),
      ).toBe(true);
    }),
  );
});
