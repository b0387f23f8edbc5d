import { expect, test } from 'vitest';
import type { RequestOf } from '../../../src/contract/endpoints.ts';
import type { NamedViolation } from '../../../src/contract/event-plan.ts';
import { catalogVersions } from '../../../src/service/catalog/catalog-versions.ts';
import { eventViolations } from '../../../src/service/events/store/event-violations.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { agedStore, DAY_MS } from '../../support/retention/aged-store.ts';

const timestamp = '2026-01-01T00:00:00Z';
const PLAN = [
  {
    event: 'order',
    required: ['amount'],
    properties: { amount: { type: 'number' }, currency: { type: 'string', enum: ['EUR', 'USD'] } },
    additionalProperties: false,
  },
];
const planOf = (settings: { violations?: string; unknownEvents?: string } = {}) => ({
  plan: PLAN,
  ...settings,
});
type Sent = Omit<RequestOf<'ingestEvents'>['events'][number], 'userId' | 'timestamp'>;

/** Puts a plan, and waits until the node uses it. */
async function put(
  service: TestService,
  events: { violations?: string; unknownEvents?: string } | undefined,
) {
  const catalog = { contents: [], ...(events && { events }) };
  const answer = await service.fetch('/v1/catalog', { method: 'PUT', body: { catalog } });
  expect(answer.status).toBe(200);
  await expect
    .poll(() => status(service))
    .toMatchObject(
      events ? { violations: 'warn', unknownEvents: 'warn', ...plainOf(events) } : { violations: null },
    );
}
const plainOf = ({ violations, unknownEvents }: { violations?: string; unknownEvents?: string }) => ({
  ...(violations && { violations }),
  ...(unknownEvents && { unknownEvents }),
});
const ingest = (service: TestService, events: readonly Sent[], headers = {}) =>
  service.fetch('/v1/events', {
    headers,
    body: { events: events.map((event) => ({ userId: 'u', timestamp, ...event })) },
  });
const status = async (service: TestService, query = '') =>
  (await (await service.fetch(`/v1/events/plan${query}`)).json()) as {
    counts: { event: string; property: string | null; rule: string; count: number; refused: number }[];
    others: number;
  };
const countsOf = async (service: TestService) =>
  (await status(service)).counts.map(
    ({ event, property, rule, count, refused }) =>
      `${event} ${property} ${rule} ${count}${refused > 0 ? ` refused ${refused}` : ''}`,
  );

test('counts what is stored against the plan, once', async () => {
  const service = await startTestService();
  expect(await status(service)).toMatchObject({
    events: null,
    violations: null,
    counts: [],
    others: 0,
    othersRefused: 0,
  });
  await put(service, planOf());
  const good: Sent = { event: 'order', properties: { amount: 1, currency: 'EUR' } };
  expect((await ingest(service, [good])).status).toBe(202);
  expect(await countsOf(service)).toEqual([]);
  const wrong: Sent[] = [
    good,
    { event: 'order', properties: { amount: '1', extra: true } },
    { event: 'order', properties: { amount: '2' } },
    { event: 'order' },
    { event: 'ordr' },
  ];
  const key = { 'idempotency-key': 'k'.repeat(20) };
  for (let i = 0; i < 2; i++) expect((await ingest(service, wrong, key)).status).toBe(202);
  const expected = [
    'order amount type 2',
    'order amount missing 1',
    'order extra unknown-property 1',
    'ordr null unknown-event 1',
  ];
  expect(await countsOf(service)).toEqual(expected);
  expect(await status(service)).toMatchObject({
    events: 1,
    violations: 'warn',
    unknownEvents: 'warn',
    version: 1,
  });
  // An event that is repeated is not stored, and not counted.
  const once: Sent[] = [{ event: 'ordr', eventId: 'a' }];
  for (let i = 0; i < 2; i++) expect((await ingest(service, once)).status).toBe(202);
  expect(await countsOf(service)).toEqual([
    'order amount type 2',
    'ordr null unknown-event 2',
    'order amount missing 1',
    'order extra unknown-property 1',
  ]);
});

test('refuses a batch as the plan says, stores nothing of it, and counts why', async () => {
  const service = await startTestService();
  await put(service, planOf({ violations: 'refuse' }));
  const mixed: Sent[] = [
    { event: 'order', properties: { amount: 1 } },
    { event: 'order', properties: { amount: 1, currency: 'eur' } },
    { event: 'ordr' },
  ];
  const answer = await ingest(service, mixed);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    code: 'INVALID_REQUEST',
    details: [{ index: 1, field: 'properties.currency', message: 'must be one of "EUR", "USD"' }],
  });
  // What the plan warns of counts where it is stored.
  expect(await countsOf(service)).toEqual(['order currency enum 0 refused 1']);
  expect((await ingest(service, [mixed[0]!, mixed[2]!])).status).toBe(202);
  expect(await countsOf(service)).toEqual(['order currency enum 0 refused 1', 'ordr null unknown-event 1']);
  // An idempotency key does not keep the refusal: with another plan, the same batch is stored.
  const key = { 'idempotency-key': 'r'.repeat(20) };
  for (let i = 0; i < 2; i++) expect((await ingest(service, mixed, key)).status).toBe(400);
  await put(service, planOf());
  expect((await ingest(service, mixed, key)).status).toBe(202);
  expect(await countsOf(service)).toEqual(['order currency enum 1 refused 3', 'ordr null unknown-event 2']);
  await put(service, planOf({ unknownEvents: 'refuse' }));
  expect((await ingest(service, [mixed[2]!])).status).toBe(400);
  await put(service, planOf({ unknownEvents: 'allow' }));
  expect((await ingest(service, [mixed[2]!])).status).toBe(202);
  // Errors of a body that is parsed because it is not scanned.
  await put(service, planOf({ unknownEvents: 'refuse' }));
  const escaped = `{"events":[{"userId":"u","event":"ord\\u0072","timestamp":"${timestamp}"}]}`;
  expect(await (await service.fetch('/v1/events', { raw: escaped })).json()).toMatchObject({
    details: [{ index: 0, field: 'event', message: 'is not in the plan' }],
  });
  // Without a plan nothing is judged, and the counts stay.
  await put(service, undefined);
  expect((await ingest(service, mixed)).status).toBe(202);
  expect(await countsOf(service)).toEqual([
    'order currency enum 1 refused 3',
    'ordr null unknown-event 2 refused 2',
  ]);
});

test('putting a plan warns of what the latest events do against it', async () => {
  const service = await startTestService();
  const warningsOf = async (path: string, method: string, events: object) => {
    const answer = await service.fetch(path, { method, body: { catalog: { contents: [], events } } });
    const { warnings } = (await answer.json()) as { warnings: { path: string; message: string }[] };
    return warnings.map(({ path: at, message }) => `${at} ${message}`);
  };
  expect(await warningsOf('/v1/catalog/validate', 'POST', planOf())).toEqual([]);
  const sent: Sent[] = [
    ...Array<Sent>(3).fill({ event: 'order', properties: { amount: '1' } }),
    { event: 'order', properties: { amount: 1, currency: 'EUR' } },
    { event: 'order', properties: { currency: 'eur', extra: true } },
    { event: 'ordr' },
    // Too large to be read here.
    { event: 'ordr', properties: { text: 'x'.repeat(5000) } },
  ];
  expect((await ingest(service, sent)).status).toBe(202);
  const expected = [
    'events.plan[0].properties.amount must be a number, which it is not in 3 of the 5 latest events order',
    'events.unknownEvents 1 of the latest 6 events is named ordr, which is not in the plan; such events will be refused',
    'events.plan[0].required amount is missing in 1 of the 5 latest events order',
    'events.plan[0].properties.currency must be one of "EUR", "USD", which it is not in 1 of the 5 latest events order',
    'events.plan[0].additionalProperties extra is not in the plan, but in 1 of the 5 latest events order',
  ];
  const plan = planOf({ unknownEvents: 'refuse' });
  expect((await warningsOf('/v1/catalog/validate', 'POST', plan)).toSorted()).toEqual(expected.toSorted());
  const stored = await warningsOf('/v1/catalog', 'PUT', plan);
  expect(stored[0]).toBe(expected[0]);
  expect(stored.toSorted()).toEqual(expected.toSorted());
  await put(service, undefined);
  // Only the latest are judged, and a bounded number of violations is named.
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, i]));
  for (const part of [1000, 1000])
    expect((await ingest(service, Array<Sent>(part).fill({ event: 'wide', properties: many }))).status).toBe(
      202,
    );
  const wide = { plan: [{ event: 'wide', additionalProperties: false }, { event: 'order' }] };
  const named = await warningsOf('/v1/catalog/validate', 'POST', wide);
  expect(named).toHaveLength(20);
  expect(named[0]).toMatch(/ but in 2,000 of the 2,000 latest events wide$/);
});

test('lists a bounded number of errors', async () => {
  const service = await startTestService();
  await put(service, planOf({ violations: 'refuse' }));
  const properties = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, i]));
  const answer = await ingest(service, Array(600).fill({ event: 'order', properties }));
  const { details } = (await answer.json()) as { details: { index: number }[] };
  expect(details).toHaveLength(1000);
  expect(details.filter(({ index }) => index === 3)).toHaveLength(5);
});

test('another process judges by a new plan as soon as it knows it, and each batch by one', async () => {
  const one = await startTestService();
  const two = await startTestService({ database: one.database });
  // Both use the workspace and the key of the first.
  const other: TestService = {
    ...two,
    fetch: (path, init) =>
      fetch(two.url + path, {
        method: 'POST',
        body: JSON.stringify(init!.body),
        headers: {
          authorization: `Bearer ${one.apiKey}`,
          'x-service-workspace': one.workspace,
          'content-type': 'application/json',
        },
      }),
  };
  await put(one, planOf({ unknownEvents: 'refuse' }));
  const half = Array<Sent>(10).fill({ event: 'ordr' });
  await expect.poll(async () => (await ingest(other, half)).status).toBe(400);
  const before = (await status(one)).counts;
  expect((await ingest(one, half)).status).toBe(400);
  expect((await status(one)).counts).toMatchObject([
    { ...before[0], refused: before[0]!.refused + half.length, lastAt: expect.any(String) },
  ]);
  const version = await one.platform.store.read((tx) => catalogVersions.head(tx, one.workspace));
  expect(version.version).toBe(1);
});

test('counts are bounded in rows and kept for 90 days', async () => {
  const start = Date.UTC(2026, 0, 1, 23);
  const aged = await agedStore(start);
  const [id, other] = aged.workspaces as [string, string];
  const add = (violations: NamedViolation[], were: 'stored' | 'refused' = 'stored', workspace = id) =>
    aged.store.write((tx) => eventViolations.add(tx, workspace, violations, were));
  const named = (name: string, times: number): NamedViolation[] =>
    Array(times).fill({ event: name, property: 'p', rule: 'type' });
  await add(named('first', 3));
  for (let batch = 0; batch < 3; batch++)
    await add(Array.from({ length: 300 }, (_, i) => named(`e${batch * 300 + i}`, 1)).flat());
  await add(named('first', 2));
  await add([...named('first', 2), ...named('more', 4)], 'refused');
  const list = (days: number, workspace = id) =>
    aged.store.read((tx) => eventViolations.list(tx, workspace, days));
  const { counts, others, othersRefused } = await list(1);
  expect([counts.length, counts[0], others, othersRefused]).toEqual([
    500,
    { event: 'first', property: 'p', rule: 'type', count: 5, refused: 2, last: expect.any(Number) },
    401,
    4,
  ]);
  expect(await list(90, other)).toEqual({ counts: [], others: 0, othersRefused: 0 });
  // The next day has rows of its own.
  await aged.to(start + DAY_MS);
  await add(named('second', 1));
  expect((await list(1)).counts).toMatchObject([{ event: 'second', count: 1 }]);
  expect((await list(2)).others).toBe(402);
  const keep = { events: null, decisions: null, notifications: null, eventIds: null, outcomes: null };
  await aged.to(start + 91 * DAY_MS);
  await aged.clean(keep);
  expect((await list(365)).counts).toMatchObject([{ event: 'second' }]);
  await aged.clean({ ...keep, events: 2 * DAY_MS });
  expect(await list(365)).toEqual({ counts: [], others: 0, othersRefused: 0 });
});
