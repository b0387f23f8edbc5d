import fc from 'fast-check';
import { type Json, resolved } from './document.ts';

/** Any text without U+0000. */
const TEXT = '^[^\\x00]*$';
/** Strings stay this short unless a bound asks for more: long ones only make the test slow. */
const LONG = 12;

/** Returns values that a schema allows: short ones, and ones at its bounds. */
export function allowedBy(schema: Json): fc.Arbitrary<unknown> {
  const target = resolved(schema);
  if (Array.isArray(target.enum)) return fc.constantFrom(...(target.enum as unknown[]));
  if (target.const !== undefined) return fc.constant(target.const);
  if (Array.isArray(target.anyOf)) return fc.oneof(...(target.anyOf as Json[]).map(allowedBy));
  switch (target.type) {
    case 'string':
      return text(target);
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.double({
        min: (target.minimum as number | undefined) ?? -Number.MAX_VALUE,
        max: (target.maximum as number | undefined) ?? Number.MAX_VALUE,
        noNaN: true,
      });
    case 'integer':
      return fc.integer({ min: target.minimum as number, max: target.maximum as number });
    case 'array': {
      const { minItems = 0, maxItems = 1000 } = target as { minItems?: number; maxItems?: number };
      const most = Math.min(maxItems, minItems + 3);
      return fc.array(allowedBy(target.items as Json), { minLength: minItems, maxLength: most });
    }
    case 'object':
      return object(target);
  }
  if (Object.keys(target).length === 0) return fc.constantFrom<unknown>(null, 1, 'x', [], {});
  throw new Error(`no values for ${JSON.stringify(target)}`);
}

function text(schema: Json): fc.Arbitrary<string> {
  const {
    format,
    pattern,
    minLength = 0,
    maxLength = LONG,
  } = schema as {
    format?: string;
    pattern?: string;
    minLength?: number;
    maxLength?: number;
  };
  if (format === 'time-zone') return fc.constantFrom('Europe/Berlin', 'utc', 'America/New_York', '+01:00');
  if (format === 'uri')
    return fc.webUrl({ validSchemes: ['https'], withFragments: true, withQueryParameters: true });
  if (format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (pattern !== undefined && pattern !== TEXT)
    return fc.stringMatching(new RegExp(pattern)).filter((value) => value.length <= maxLength);
  const any = (least: number, most: number) =>
    fc
      .array(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '\u0000'),
        { minLength: least, maxLength: most },
      )
      .map((all) => all.join(''));
  const least = Math.max(minLength, 0);
  const short = any(least, Math.max(least, Math.min(maxLength, LONG)));
  const atBound = fc.constantFrom('a', '😀').map((one) => one.repeat(Math.min(maxLength, 256)));
  return fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: atBound });
}

function object(schema: Json): fc.Arbitrary<unknown> {
  const {
    properties = {},
    required = [],
    additionalProperties,
    propertyNames,
  } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
    additionalProperties?: Json | false;
    propertyNames?: Json;
  };
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, allowedBy(inner)])),
    { requiredKeys: required },
  );
  if (typeof additionalProperties !== 'object') return known;
  const names = text(propertyNames ?? {}).filter((name) => name !== '__proto__' && !(name in properties));
  const more = fc.dictionary(names, allowedBy(additionalProperties), { maxKeys: 3, noNullPrototype: true });
  return fc.tuple(more, known).map(([others, fields]) => ({ ...others, ...(fields as Json) }));
}

/** Returns values like `arbitrary`, with one change somewhere, which may make them invalid. */
export function changed(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, '', 0, -1, 1.5, true, [], {}, [null], { a: { b: 1 } }, 'x'.repeat(257)),
    fc.constantFrom<unknown>('😀'.repeat(257), '😀'.repeat(8), 'nul \u0000', 'http://a b', 'en_', 1e6),
    fc.string(),
  );
  return fc
    .tuple(arbitrary, fc.nat(), fc.constantFrom('replace', 'remove', 'add'), odd)
    .map(([value, at, change, other]) => {
      const copy = structuredClone(value);
      const places = placesIn(copy);
      const place = places[at % (places.length + 1)];
      if (!place) return change === 'replace' ? other : copy;
      const { owner, key } = place;
      if (change === 'remove' && Array.isArray(owner)) owner.splice(Number(key), 1);
      else if (change === 'remove') delete owner[key];
      else if (change === 'add' && Array.isArray(owner)) owner.push(other);
      else if (change === 'add') owner[`${key}X`] = other;
      else owner[key] = other;
      return copy;
    });
}

interface Place {
  readonly owner: Record<string, unknown>;
  readonly key: string;
}

/** All places of a value that can be changed. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key])]);
}
