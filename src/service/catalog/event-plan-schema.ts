/** The plan of events in the catalog file. Its words are those of JSON Schema, of which it is a small part. */
import * as z from 'zod/mini';
import { described } from '../../contract/described.ts';
import { hasFormat, PLAN_LIMITS } from '../../contract/event-plan.ts';
import { limited, name } from './fields.ts';

const TYPES = ['string', 'number', 'integer', 'boolean'] as const;
const description = (what: string) => z.optional(described(z.string().check(z.maxLength(1000)), what));
const value = () => z.union([z.string().check(z.maxLength(1000)), z.number(), z.boolean()]);
const action = () => z.enum(['warn', 'refuse']);

const PlannedProperty = z
  .strictObject({
    type: described(
      z.union([z.enum(TYPES), z.array(z.enum(TYPES)).check(z.minLength(1), z.maxLength(TYPES.length))]),
      'The type of its values, or a list of types.',
    ),
    enum: z.optional(
      described(z.array(value()).check(z.minLength(1), z.maxLength(PLAN_LIMITS.values)), 'The only values.'),
    ),
    format: z.optional(
      described(
        z.enum(['date-time', 'date']),
        'The form of a text (RFC 3339): a time with a zone, or a date.',
      ),
    ),
    description: description('What it says.'),
  })
  .check(
    z.superRefine(({ type, enum: values = [], format }, context) => {
      const types: readonly string[] = [type].flat();
      const issue = (path: PropertyKey[], message: string, input: unknown) =>
        context.addIssue({ code: 'custom', path, message, input });
      for (const [i, one] of values.entries()) {
        const fits = types.includes(typeof one) || (types.includes('integer') && Number.isInteger(one));
        if (!fits) issue(['enum', i], `does not have the type ${types.join(' or ')}`, one);
        else if (format && typeof one === 'string' && !hasFormat(one, format))
          issue(['enum', i], `does not have the format ${format}`, one);
      }
      if (format && !types.includes('string')) issue(['format'], 'needs the type string', format);
    }),
  );

const PlannedEvent = z
  .strictObject({
    event: described(name(), 'Name of the event.'),
    description: description('What it says.'),
    properties: z.optional(
      described(
        limited(z.record(name(), PlannedProperty), PLAN_LIMITS.properties, 'properties'),
        'Its properties by name.',
      ),
    ),
    required: z.optional(
      described(
        z.array(name()).check(z.maxLength(PLAN_LIMITS.properties)),
        'The properties that every such event has.',
      ),
    ),
    additionalProperties: z.optional(
      described(z.boolean(), 'False: it has no other properties than these. Default: true.'),
    ),
  })
  .check(
    z.superRefine(({ properties = {}, required = [] }, context) => {
      for (const [i, one] of required.entries())
        if (!Object.hasOwn(properties, one))
          context.addIssue({
            code: 'custom',
            path: ['required', i],
            message: 'is not among the properties',
            input: one,
          });
    }),
  );

export const EventsSection = z.strictObject({
  violations: z.optional(
    described(
      action(),
      'What the service does with an event that is not as planned: `warn` stores and counts it, `refuse` answers 400. Default: warn.',
    ),
  ),
  unknownEvents: z.optional(
    described(
      z.enum(['allow', 'warn', 'refuse']),
      'The same for an event that is not in the plan. Default: warn.',
    ),
  ),
  plan: described(
    z.array(PlannedEvent).check(
      z.maxLength(PLAN_LIMITS.events),
      z.superRefine((events, context) => {
        const first = new Map<string, number>();
        for (const [i, { event }] of events.entries()) {
          const before = first.get(event);
          if (before === undefined) first.set(event, i);
          else
            context.addIssue({
              code: 'custom',
              path: [i, 'event'],
              message: `is the same as that of plan[${before}]`,
              input: event,
            });
        }
      }),
    ),
    'The events that apps and servers send.',
  ),
});
