import { EVENT_KINDS, type EventKind } from '../event-kind-names.ts';
import { exampleBody, isTap, KINDS_OF_EVENTS } from '../event-kinds.ts';
import { DeliveryBody } from '../schemas.ts';
import type { Example } from './examples.ts';
import { DELIVERY_HEADERS } from './headers.ts';
import type { Json, Schemas } from './schemas.ts';

const EXAMPLE_AT = Date.parse('2026-01-01T00:00:00Z');

const meaningOf = (kind: EventKind) =>
  `${KINDS_OF_EVENTS[kind].meaning}${isTap(kind) ? '' : ' Sent to subscriptions that name it.'}`;

/** Describes the deliveries, one webhook per kind of event. */
export function webhooksOf(schemas: Schemas, examples: Readonly<Record<string, Example>>): Json {
  const body = schemas.of(DeliveryBody);
  return Object.fromEntries(
    EVENT_KINDS.map((kind) => {
      const name = kind.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
      const schema = schemas.add(name, {
        description: meaningOf(kind),
        allOf: [body, { type: 'object', properties: { type: { const: kind } } }],
      });
      return [kind, { post: delivery(kind, `on${name}`, schema, examples[kind]) }];
    }),
  );
}

function delivery(kind: EventKind, operationId: string, schema: Json, example: Example | undefined): Json {
  return {
    operationId,
    summary: KINDS_OF_EVENTS[kind].meaning.replace(/\.$/, ''),
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
          examples: {
            [example ? 'real' : 'made']: {
              value: example?.request ?? exampleBody(kind, 'dlv_example', EXAMPLE_AT),
            },
          },
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
