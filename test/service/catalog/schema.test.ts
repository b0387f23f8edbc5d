import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DEFAULT_CATALOG } from '../../../src/service/catalog/default.ts';
import { CatalogError, parseCatalog } from '../../../src/service/catalog/parse.ts';
import { catalogJsonSchema } from '../../../src/service/catalog/schema.ts';
import { variablesOf } from '../../../src/service/catalog/templates/template-texts.ts';

const content = { contentId: 'a', category: 'c', format: 'card', title: 'T', body: 'B' };
const errorsOf = (value: unknown) => {
  try {
    parseCatalog(typeof value === 'string' ? value : JSON.stringify(value));
  } catch (error) {
    if (error instanceof CatalogError) return error.issues.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
};

test('the published schema matches the code', () => {
  const file = fileURLToPath(new URL('../../../docs/catalog.schema.json', import.meta.url));
  expect(
    JSON.parse(readFileSync(file, 'utf8')),
    'docs/catalog.schema.json is out of date: run npm run generate',
  ).toEqual(catalogJsonSchema());
});

test('the default catalog matches docs/design-choices.md', () => {
  const { contents, templates } = parseCatalog(JSON.stringify(DEFAULT_CATALOG));
  expect(contents.length).toBeGreaterThanOrEqual(8);
  expect(new Set(contents.map((c) => c.category)).size).toBeGreaterThanOrEqual(4);
  const home = contents.filter(
    (c) =>
      (c.channels.length === 0 || c.channels.includes('in-app')) &&
      (c.surfaces.length === 0 || c.surfaces.includes('home')) &&
      c.locales.length === 0,
  );
  expect(home.length).toBeGreaterThanOrEqual(4);
  expect([...templates.keys()]).toEqual(['order_update', 'payment_reminder', 'welcome']);
  for (const template of templates.values()) expect(template.channels).toEqual([]);
  expect(variablesOf(templates.get('order_update')!, 'sms')).toEqual(['orderId']);
});

test('refuses text that a database cannot store', () => {
  for (const text of ['\ud800x', 'a\u0000b']) {
    const message = 'contains an unpaired surrogate or U+0000';
    expect(errorsOf({ contents: [{ ...content, contentId: text }] })).toEqual([
      `contents[0].contentId ${message}`,
    ]);
    expect(errorsOf({ contents: [content, { ...content, contentId: 'b', tags: ['t', text] }] })).toEqual([
      `contents[1].tags[1] ${message}`,
    ]);
    const templates = [
      { templateId: 't', title: 'T', body: 'B', locales: { de: { title: text, body: 'B' } } },
    ];
    expect(errorsOf({ contents: [content], templates })).toEqual([
      `templates[0].locales.de.title ${message}`,
    ]);
  }
  expect(errorsOf({ contents: [{ ...content, title: '😀', body: '' }] })).toEqual([]);
});

test('a content has at most ten tags of 64 characters', () => {
  const tagged = (tags: unknown) => errorsOf({ contents: [{ ...content, tags }] });
  expect(tagged(Array.from({ length: 10 }, (_, i) => `${i}`.repeat(64)))).toEqual([]);
  for (const tags of [Array(11).fill('t'), ['t'.repeat(65)], [''], [1], 'sport'])
    expect(tagged(tags), JSON.stringify(tags)).toHaveLength(1);
});

test('the contents of a catalog have the attributes that they share', () => {
  const [a, b, c] = parseCatalog(
    JSON.stringify({
      contents: ['a', 'b', 'c'].map((contentId, i) => ({
        ...content,
        contentId,
        tags: i < 2 ? ['sport'] : [],
      })),
    }),
  ).contents;
  expect(a!.attributes).toHaveLength(1);
  expect(b!.attributes).toEqual(a!.attributes);
  expect(c!.attributes).toEqual([]);
});

test('parses an entry with all fields', () => {
  const { contents, events, windows } = parseCatalog(
    JSON.stringify({
      contents: [
        {
          ...content,
          activeFrom: '2026-01-01T00:00:00+01:00',
          activeUntil: '2026-02-01T00:00:00Z',
          eligibility: {
            traits: [{ trait: 'plan', oneOf: ['pro', 'team'] }],
            events: [{ event: 'purchase', withinDays: 7, atLeast: 1 }],
          },
          prior: 0.3,
        },
      ],
    }),
  );
  expect(contents[0]).toMatchObject({
    activeFrom: Date.parse('2025-12-31T23:00:00Z'),
    prior: 0.3,
    channels: [],
  });
  expect([...events]).toEqual(['purchase']);
  expect(windows).toEqual([{ key: '7 purchase', event: 'purchase', withinDays: 7, enough: 1 }]);
});

test('a file without templates gets the default ones, an empty list gets none', () => {
  const names = (file: object) => [...parseCatalog(JSON.stringify(file)).templates.keys()];
  expect(names({ contents: [] })).toEqual(['order_update', 'payment_reminder', 'welcome']);
  expect(names({ contents: [], templates: [] })).toEqual([]);
});

test('rejects an invalid file with the path of each error', () => {
  expect(errorsOf('{')).toEqual([expect.stringMatching(/^the file is not JSON: /)]);
  expect(errorsOf([])).toEqual(['the file must be an object']);
  expect(errorsOf({})).toEqual(['contents is missing']);
  expect(errorsOf({ contents: [content, { ...content, contentId: 'b', format: 'banner' }] })).toEqual([
    'contents[1].format must be one of card, modal, embedded, full-screen',
  ]);
  expect(errorsOf({ contents: [{ ...content, colour: 'red' }] })).toEqual([
    'contents[0].colour is not a known field',
  ]);
  expect(errorsOf({ contents: [{ ...content, eligibility: { traits: [{ trait: 'plan' }] } }] })).toEqual([
    'contents[0].eligibility.traits[0] needs a condition: exists, equals, oneOf, atLeast or atMost',
  ]);
  expect(errorsOf({ contents: [{ ...content, prior: 1 }] })).toEqual([
    expect.stringMatching(/^contents\[0\]\.prior must /),
  ]);
  expect(errorsOf({ contents: [content, content] })).toEqual([
    'contents[1].contentId is the same as that of contents[0]',
  ]);
  expect(
    errorsOf({
      contents: [{ ...content, activeFrom: '2026-02-01T00:00:00Z', activeUntil: '2026-01-01T00:00:00Z' }],
    }),
  ).toEqual(['contents[0].activeUntil must be later than activeFrom']);
});

test('checks the plan of events', () => {
  const planned = (events: unknown) => errorsOf({ contents: [], events });
  const order = { event: 'order', properties: { amount: { type: 'number' } }, required: ['amount'] };
  expect(planned({ plan: [order] })).toEqual([]);
  expect(planned({ violations: 'refuse', unknownEvents: 'allow', plan: [] })).toEqual([]);
  expect(planned({ violations: 'block', plan: [order, order] })).toEqual([
    'events.violations must be one of warn, refuse',
    'events.plan[1].event is the same as that of plan[0]',
  ]);
  expect(planned({ plan: [{ ...order, type: 'object' }] })).toEqual([
    'events.plan[0].type is not a known field',
  ]);
  expect(planned({ plan: [{ ...order, required: ['amout'] }] })).toEqual([
    'events.plan[0].required[0] is not among the properties',
  ]);
  const of = (property: object) => planned({ plan: [{ event: 'e', properties: { p: property } }] });
  expect(of({ type: ['string', 'integer'], enum: ['a', 1] })).toEqual([]);
  expect(of({ type: 'integer', enum: [1, 1.5, '1'] })).toEqual([
    'events.plan[0].properties.p.enum[1] does not have the type integer',
    'events.plan[0].properties.p.enum[2] does not have the type integer',
  ]);
  expect(of({ type: 'number', format: 'date' })).toEqual([
    'events.plan[0].properties.p.format needs the type string',
  ]);
  expect(of({ type: 'string', format: 'date', enum: ['2023-02-29'] })).toEqual([
    'events.plan[0].properties.p.enum[0] does not have the format date',
  ]);
});
