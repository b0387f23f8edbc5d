import { expect, it } from 'vitest';
import { DOCUMENT, type Json, resolved } from '../../support/openapi/document.ts';

/** The types of the specification's tables, where it names them: what a client typed from it decodes. */
const SPECIFIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Event: { userId: 'string', event: 'string', timestamp: 'string', properties: 'object' },
  DecideRequest: { hashId: 'string', context: 'object', guardrails: 'object' },
  DecisionContext: { channel: 'string', surface: 'string', locale: 'string' },
  Guardrails: { excludeCategories: 'array', maxDailyContacts: 'integer' },
  DecideAnswer: { decisionId: 'string', action: 'object', alternatives: 'array' },
  Action: { type: 'string', contentId: 'string', ranking: 'number', reason: 'string' },
  Alternative: { type: 'string', contentId: 'string', ranking: 'number' },
  TriggerRequest: {
    hashId: 'string',
    templateId: 'string',
    channel: 'string',
    variables: 'object',
    priority: 'string',
  },
  CreateWebhookRequest: { url: 'string', events: 'array', signingSecret: 'string' },
  DeliveryBody: { type: 'string', decisionId: 'string', contentId: 'string', hashId: 'string' },
  Error: { error: 'string', code: 'string', requestId: 'string' },
};

it.each(Object.entries(SPECIFIED))('%s has the types of the specification', (name, fields) => {
  const { properties } = DOCUMENT.components.schemas![name] as { properties: Record<string, Json> };
  const types = Object.keys(fields).map((field) => [field, resolved(properties[field]!).type]);
  expect(Object.fromEntries(types)).toEqual(fields);
});
