import { DeliveryBody, EVENT_KINDS, type EventKind } from '../schemas.ts';
import type { Example } from './examples.ts';
import { DELIVERY_HEADERS } from './headers.ts';
import type { Json, Schemas } from './schemas.ts';

const MEANINGS: Readonly<Record<EventKind, string>> = {
  'campaign.clicked': 'The user clicked a message or a notification.',
  'campaign.opened': 'The user opened a message or a notification.',
  'decision.actioned': "The user acted on a decision's action.",
  'decision.converted':
    'A decision earned something of a goal for the first time, or again after a correction. Sent to subscriptions that name it.',
};

/** Describes the deliveries, one webhook per kind of event. */
export function webhooksOf(schemas: Schemas, examples: Readonly<Record<string, Example>>): Json {
  const body = schemas.of(DeliveryBody);
  return Object.fromEntries(
    EVENT_KINDS.map((kind) => {
      const name = kind.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const schema = schemas.add(name, {
        description: MEANINGS[kind],
        allOf: [body, { type: 'object', properties: { type: { const: kind } } }],
      });
      return [kind, { post: delivery(kind, `on${name}`, schema, examples[kind]) }];
    }),
  );
}

function delivery(kind: EventKind, operationId: string, schema: Json, example: Example | undefined): Json {
  return {
    operationId,
    summary: MEANINGS[kind].replace(/\.$/, ''),
    description:
      'Sent at least once, in no particular order, to each subscription that names the kind. Verify one of the signatures over the raw body before you parse it. An answer other than 2xx within 15 seconds is retried for about 75 hours.',
    tags: ['deliveries'],
    security: [],
    parameters: Object.keys(DELIVERY_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      description: 'The event.',
      content: {
        'application/json': {
          schema,
          ...(example?.request === undefined ? {} : { examples: { real: { value: example.request } } }),
        },
      },
    },
    responses: {
      '2XX': { description: 'The delivery was received. The body is not interpreted.' },
      '401': { description: 'The signature does not match.' },
      '410': { description: 'Disables the subscription.' },
    },
  };
}
