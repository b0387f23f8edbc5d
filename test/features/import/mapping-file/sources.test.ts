import { expect, test } from 'vitest';
import { recordMappers } from '../../../../src/features/import/mapping/record-mappers.ts';
import { mappingJsonSchema } from '../../../../src/features/import/mapping-file/document.ts';
import { documentOf } from '../../../../src/features/import/mapping-file/flags.ts';
import { sourceMapping } from '../../../../src/features/import/mapping-file/load.ts';
import { withMappingFile } from '../../../../src/features/import/mapping-file/mapping-flags.ts';
import { SOURCES } from '../../../../src/features/import/mapping-file/sources.ts';
import type { ImportFlags } from '../../../../src/features/import/option-table/flags.ts';
import { mappingOf } from '../../../../src/features/import/option-table/table.ts';
import { madeJson } from '../../../support/collect.ts';

function mappersOf(source: string) {
  return recordMappers(
    mappingOf('events', withMappingFile({ from: source } as ImportFlags & { from: string }, '.'), undefined),
  )();
}

/** A record that a vendor publishes, in the shape of its export, and the event that it becomes. */
const SAMPLES: [source: string, from: string, record: object, event: object][] = [
  [
    'segment',
    'https://segment.com/docs/connections/spec/common/',
    {
      anonymousId: '507f191e810c19729de860ea',
      context: { active: true, ip: '8.8.8.8', campaign: { name: 'TPS Innovation Newsletter' } },
      event: 'Report',
      integrations: { All: true },
      messageId: '022bb90c-bbac-11e4-8dfc-aa07a5b093db',
      properties: { type: 'weekly', total: 12.5 },
      receivedAt: '2015-12-10T04:08:31.909Z',
      sentAt: '2015-12-10T04:08:31.581Z',
      timestamp: '2015-12-10T04:08:31.905Z',
      type: 'track',
      userId: '97980cfea0067',
      originalTimestamp: '2015-12-10T04:08:31.577Z',
    },
    {
      userId: '97980cfea0067',
      event: 'Report',
      timestamp: '2015-12-10T04:08:31.905Z',
      eventId: '022bb90c-bbac-11e4-8dfc-aa07a5b093db',
      properties: {
        'context.active': true,
        'context.ip': '8.8.8.8',
        'context.campaign.name': 'TPS Innovation Newsletter',
        'integrations.All': true,
        type: 'weekly',
        total: 12.5,
        sentAt: '2015-12-10T04:08:31.581Z',
        anonymousId: '507f191e810c19729de860ea',
        type_1: 'track',
        originalTimestamp: '2015-12-10T04:08:31.577Z',
        receivedAt: '2015-12-10T04:08:31.909Z',
      },
    },
  ],
  [
    'rudderstack',
    'https://www.rudderstack.com/docs/event-spec/standard-events/common-fields/',
    {
      anonymousId: 'anon-id-new',
      channel: 'web',
      context: { library: { name: 'http' }, traits: { trait1: 'new-val' } },
      messageId: 'msg-1',
      name: 'home',
      originalTimestamp: '2020-01-21T00:21:34.208Z',
      type: 'page',
      userId: null,
    },
    {
      userId: 'anon-id-new',
      event: 'page',
      timestamp: '2020-01-21T00:21:34.208Z',
      eventId: 'msg-1',
      properties: {
        channel: 'web',
        'context.library.name': 'http',
        'context.traits.trait1': 'new-val',
        name: 'home',
      },
    },
  ],
  [
    'mixpanel',
    'https://docs.mixpanel.com/reference/raw-event-export',
    {
      event: 'Signed up',
      properties: {
        time: 1602611311,
        distinct_id: '91304156-cafc-4673-a237-623d1129c801',
        $insert_id: 'insert-1',
        mp_processing_time_ms: 1602625711874,
      },
    },
    {
      userId: '91304156-cafc-4673-a237-623d1129c801',
      event: 'Signed up',
      timestamp: '2020-10-13T17:48:31Z',
      eventId: 'insert-1',
      properties: {
        mp_processing_time_ms: 1602625711874,
      },
    },
  ],
  [
    'amplitude',
    'https://amplitude.com/docs/apis/analytics/export',
    {
      event_time: '2020-01-01 12:00:00.123000',
      event_type: 'watch_tutorial',
      user_id: null,
      device_id: 'C8F9E604-F01A-4BD9-95C6-8E5357DF265D',
      amplitude_id: 12345,
      country: 'United States',
      event_properties: { country: 'DE', keys: ['a', 'b'] },
      user_properties: {},
      client_event_time: '2020-01-01 11:59:59.000000',
      $insert_id: '',
      uuid: 'bd3b9c4e-0001-11ea-8a6b-0242ac110003',
      paying: null,
    },
    {
      userId: 'C8F9E604-F01A-4BD9-95C6-8E5357DF265D',
      event: 'watch_tutorial',
      timestamp: '2020-01-01T12:00:00.123000Z',
      eventId: 'bd3b9c4e-0001-11ea-8a6b-0242ac110003',
      properties: {
        country: 'United States',
        'event_properties.country': 'DE',
        'event_properties.keys.0': 'a',
        'event_properties.keys.1': 'b',
        user_properties: '{}',
        amplitude_id: 12345,
        client_event_time: '2020-01-01 11:59:59.000000',
      },
    },
  ],
  [
    'ga4',
    'https://support.google.com/analytics/answer/7029846',
    {
      event_date: '20191208',
      event_timestamp: '1575779411418000',
      event_name: 'notification_receive',
      event_params: [{ key: 'message_type', value: { string_value: 'display', int_value: null } }],
      user_pseudo_id: '3c8',
    },
    {
      userId: '3c8',
      event: 'notification_receive',
      timestamp: '2019-12-08T04:30:11.418000Z',
      properties: {
        event_date: '20191208',
        'event_params.0.key': 'message_type',
        'event_params.0.value.string_value': 'display',
      },
    },
  ],
  [
    'posthog',
    'https://posthog.com/docs/data-pipelines/batch-exports/s3',
    {
      uuid: '018e2f4c-0000-0000-0000-000000000000',
      event: '$pageview',
      distinct_id: 'user-1',
      person_id: 'p1',
      properties: '{"$browser": "Chrome", "$set": {"plan": "pro"}}',
      timestamp: '2024-03-11T09:00:00.000+00:00',
      elements_chain: '',
    },
    {
      userId: 'user-1',
      event: '$pageview',
      timestamp: '2024-03-11T09:00:00.000Z',
      eventId: '018e2f4c-0000-0000-0000-000000000000',
      properties: {
        person_id: 'p1',
        $browser: 'Chrome',
        '$set.plan': 'pro',
        elements_chain: '',
      },
    },
  ],
  [
    'cloudtrail',
    'https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference.html',
    {
      eventVersion: '1.05',
      userIdentity: {
        type: 'IAMUser',
        principalId: 'principal-1',
        arn: 'arn:aws:iam::123456789012:user/Mary_Major',
        accountId: '123456789012',
      },
      eventTime: '2019-06-19T00:18:31Z',
      eventName: 'StartLogging',
      eventID: 'fdb7c9e4-5a1c-4b3a-9d0e-000000000001',
      responseElements: null,
      readOnly: false,
    },
    {
      userId: 'arn:aws:iam::123456789012:user/Mary_Major',
      event: 'StartLogging',
      timestamp: '2019-06-19T00:18:31Z',
      eventId: 'fdb7c9e4-5a1c-4b3a-9d0e-000000000001',
      properties: {
        eventVersion: '1.05',
        'userIdentity.type': 'IAMUser',
        'userIdentity.principalId': 'principal-1',
        'userIdentity.accountId': '123456789012',
        readOnly: false,
      },
    },
  ],
  [
    'github',
    'https://docs.github.com/en/rest/using-the-rest-api/github-event-types',
    {
      id: '22249084947',
      type: 'WatchEvent',
      actor: { id: 583231, login: 'octocat' },
      payload: { action: 'started' },
      org: null,
      created_at: '2022-06-09T12:47:28Z',
    },
    {
      userId: 'octocat',
      event: 'WatchEvent',
      timestamp: '2022-06-09T12:47:28Z',
      eventId: '22249084947',
      properties: { 'actor.id': 583231, 'payload.action': 'started' },
    },
  ],
  [
    'stripe',
    'https://docs.stripe.com/api/events/object',
    {
      id: 'evt_1',
      object: 'event',
      created: 1687551234,
      data: { object: { id: 'in_1', object: 'invoice', customer: 'cus_1', amount_due: 199, lines: null } },
      livemode: false,
      type: 'invoice.paid',
    },
    {
      userId: 'cus_1',
      event: 'invoice.paid',
      timestamp: '2023-06-23T20:13:54Z',
      eventId: 'evt_1',
      properties: {
        object: 'event',
        'data.object.id': 'in_1',
        'data.object.object': 'invoice',
        'data.object.amount_due': 199,
        livemode: false,
      },
    },
  ],
];

test.each(SAMPLES)('--from %s reads the sample of %s', (source, _, record, event) => {
  const made = mappersOf(source).json(JSON.stringify(record));
  expect(madeJson(made)).toEqual(event);
});

test('--from snowplow reads a row of the enriched format, whose columns have no names', () => {
  const { columns = [], delimiter } = sourceMapping('snowplow')!;
  const values: Record<string, string> = {
    app_id: 'angry-birds',
    platform: 'web',
    collector_tstamp: '2013-11-26 00:03:57.885',
    event: 'page_view',
    event_id: 'c6ef3124-b53a-4b13-a233-0088f79dcbcb',
    domain_userid: 'bc2e92ec6c204a14',
    geo_latitude: '37.443604',
  };
  expect([columns.length, delimiter]).toEqual([131, 'tab']);
  const mapper = mappersOf('snowplow').rows([...columns], 'events.tsv');
  const made = mapper.record(columns.map((name) => values[name] ?? ''));
  expect(madeJson(made)).toEqual({
    userId: 'bc2e92ec6c204a14',
    event: 'page_view',
    timestamp: '2013-11-26T00:03:57.885Z',
    eventId: 'c6ef3124-b53a-4b13-a233-0088f79dcbcb',
    properties: { app_id: 'angry-birds', platform: 'web', geo_latitude: expect.anything() },
  });
});

test.each([
  [
    'mixpanel',
    'name,time,distinct_id,properties',
    'plays,2020-08-01 10:16:46,u,"{""title"":""x""}"',
    'plays',
  ],
  ['amplitude', 'event_type,event_time,user_id,country', 'watch,2020-08-01 10:16:46.5,u,India', 'watch'],
  ['ga4', 'name,timestamp,user_id,user_pseudo_id', 'purchase,2020-08-01 10:16:46,u,p', 'purchase'],
])('--from %s reads the columns of a warehouse export too', (source, header, row, event) => {
  const cells = (line: string) =>
    line.match(/"(?:""|[^"])*"|[^,]+/g)!.map((cell) => cell.replace(/^"|"$/g, '').replaceAll('""', '"'));
  const made = mappersOf(source).rows(header.split(','), 'a.csv').record(cells(row));
  expect(madeJson(made)).toMatchObject({
    userId: 'u',
    event,
    timestamp: expect.stringMatching(/^2020-08-01T10:16:46/),
  });
});

test('--from shopify reads the rows of an order, of which only the first has all columns', () => {
  const header = ['Name', 'Email', 'Total', 'Created at', 'Lineitem name', 'Billing Phone', 'Phone'];
  const mapper = mappersOf('shopify').rows(header, 'orders_export.csv');
  const event = (row: string[]) => {
    const made = mapper.record(row);
    return madeJson(made);
  };
  const at = '2024-04-23 22:10:09 +0200';
  expect(event(['#1', 'ann@example.com', '400.00', at, 'Soap', '+491511', ''])).toMatchObject({
    userId: 'ann@example.com',
    event: 'item_ordered',
    timestamp: '2024-04-23T20:10:09Z',
    properties: { Name: '#1', 'Lineitem name': 'Soap', 'Billing Phone': '+491511' },
  });
  expect(event(['#2', '', '', at, 'Cream', '', '+491522'])).toMatchObject({ userId: '+491522' });
});

test('the published schema describes every key, and what --save writes', () => {
  const { properties } = mappingJsonSchema() as { properties: Record<string, { description?: string }> };
  const described = Object.keys(properties).filter((key) => properties[key]!.description);
  expect(Object.keys(properties)).toEqual(['$schema', ...described]);
  for (const source of Object.values(SOURCES))
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(source)));
  expect(documentOf({})).toEqual({
    $schema: expect.stringContaining('docs/mapping.schema.json'),
    version: 1,
  });
});

test('every source that ships is a valid mapping, with a title and a page of its vendor', () => {
  for (const source of Object.keys(SOURCES)) {
    const mapping = sourceMapping(source)!;
    expect(mapping.title).toMatch(/^[A-Z]/);
    expect(mapping.documentation).toEqual(expect.arrayContaining([expect.stringMatching(/^https:\/\//)]));
  }
});
