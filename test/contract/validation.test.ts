import { expect, test } from 'vitest';
import { CreateWebhookRequest, IngestEventsRequest } from '../../src/contract/schemas.ts';
import { validate } from '../../src/contract/validation.ts';

const details = (value: unknown) => {
  const checked = validate(IngestEventsRequest, value);
  return checked.ok ? [] : checked.details;
};

test('distinguishes a missing field from one of a wrong type', () => {
  const event = { userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z' };
  expect(details([])).toEqual([{ field: 'body', message: 'must be an object' }]);
  expect(details({})).toEqual([{ field: 'events', message: 'is missing' }]);
  expect(details({ events: [event, { ...event, userId: 7 }, { userId: 'u', event: 'e' }] })).toEqual([
    { index: 1, field: 'userId', message: 'must be a string' },
    { index: 2, field: 'timestamp', message: 'is missing' },
  ]);
});

test('does not report an event kind of a subscription as a record of a batch', () => {
  const checked = validate(CreateWebhookRequest, {
    url: 'https://example.com',
    events: ['campaign.clicked', 'campaign.imagined'],
    signingSecret: 'sixteen characters',
  });
  expect(checked.ok ? [] : checked.details).toEqual([
    { field: 'events.1', message: expect.stringContaining('must be one of campaign.clicked') },
  ]);
  expect(details({ events: ['campaign.clicked'] })).toEqual([
    { index: 0, field: 'record', message: 'must be an object' },
  ]);
});
