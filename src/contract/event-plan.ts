/**
 * The plan of a workspace's events, the section `events` of the catalog (docs/catalog.md), and the one judge of it: the
 * service, `events import --plan` and its dry run all ask `judge`.
 */
import { firstOf } from '../kit/first-of.ts';
import { isDateTime, startsWithDate } from './timestamp.ts';

/** What is done about an event that the plan does not allow. */
type PlanAction = 'warn' | 'refuse';

type PropertyType = 'string' | 'number' | 'integer' | 'boolean';

/** A property as the catalog has it; the words are those of JSON Schema. */
export interface PlannedProperty {
  readonly type: PropertyType | readonly PropertyType[];
  /** The only values. */
  readonly enum?: readonly (string | number | boolean)[] | undefined;
  /** The form of a text (RFC 3339 section 5.6): a time with an offset, or a calendar date. */
  readonly format?: 'date-time' | 'date' | undefined;
  readonly description?: string | undefined;
}

/** An event as the catalog has it. */
export interface PlannedEvent {
  readonly event: string;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, PlannedProperty>> | undefined;
  readonly required?: readonly string[] | undefined;
  /** False: no others than those listed. Default: true, as in JSON Schema. */
  readonly additionalProperties?: boolean | undefined;
}

/** The section `events` of a catalog. */
export interface EventPlan {
  /** Default: warn. */
  readonly violations?: PlanAction | undefined;
  /** Events that are not in the plan. Default: warn. */
  readonly unknownEvents?: PlanAction | 'allow' | undefined;
  readonly plan: readonly PlannedEvent[];
}

/** What an event does against the plan. */
export interface Violation {
  /** The property; empty for the event as a whole. */
  readonly property: string;
  readonly rule: (typeof PLAN_RULES)[number];
  /** What is wrong, as in `must be a number`. Has nothing of the event. */
  readonly message: string;
  readonly action: PlanAction;
}

/** A violation of the events of one name, without what they have. */
export interface NamedViolation extends Pick<Violation, 'property' | 'rule'> {
  readonly event: string;
}

export const PLAN_RULES = ['unknown-event', 'missing', 'unknown-property', 'type', 'enum', 'format'] as const;

/** A plan that is ready to judge by. */
export interface Judge {
  readonly unknownEvents: PlanAction | 'allow';
  readonly action: PlanAction;
  readonly events: ReadonlyMap<string, JudgedEvent>;
}

interface JudgedEvent {
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, JudgedProperty>;
  readonly open: boolean;
}

interface JudgedProperty {
  readonly types: readonly PropertyType[];
  readonly values: ReadonlySet<unknown> | undefined;
  readonly format: PlannedProperty['format'];
  /** The messages, made once. */
  readonly wrongType: string;
  readonly wrongValue: string;
}

/** Events of a plan, properties of an event and values of a property, at most. */
export const PLAN_LIMITS = { events: 500, properties: 200, values: 100 } as const;
/** Violations of one event that are reported. */
export const MAX_VIOLATIONS = 20;
/** Values that a message lists. */
const LISTED = 8;

/** Prepares a valid section. */
export function judgeOf({ violations = 'warn', unknownEvents = 'warn', plan }: EventPlan): Judge {
  return {
    action: violations,
    unknownEvents,
    events: new Map(
      plan.map(({ event, required = [], properties = {}, additionalProperties = true }) => [
        event,
        {
          required,
          open: additionalProperties,
          properties: new Map(
            Object.entries(properties).map(([name, property]) => [name, judgedProperty(property)]),
          ),
        },
      ]),
    ),
  };
}

function judgedProperty({ type, enum: values, format }: PlannedProperty): JudgedProperty {
  const types = [type].flat() as PropertyType[];
  const named = (values ?? []).map((value) => JSON.stringify(value));
  return {
    types,
    values: values && new Set<unknown>(values),
    format,
    wrongType: `must be ${types.map((one) => WORDS[one]).join(' or ')}`,
    wrongValue: `must be one of ${firstOf(named, LISTED)}`,
  };
}

const WORDS: Readonly<Record<PropertyType, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'a boolean',
};
const FORMATS = {
  'date-time': 'must be a date-time with a zone, such as 2026-01-31T12:00:00Z',
  date: 'must be a date, such as 2026-01-31',
} as const;

const NONE: readonly Violation[] = [];

/**
 * What an event does against a plan, at most `MAX_VIOLATIONS`; nothing is converted: `"12"` is not a number, and null is
 * no value of any type. `properties` are those of the event as they were sent.
 */
export function judge(plan: Judge, event: string, properties: object = {}): readonly Violation[] {
  const planned = plan.events.get(event);
  const { action } = plan;
  if (!planned) {
    if (plan.unknownEvents === 'allow') return NONE;
    return [
      { property: '', rule: 'unknown-event', message: 'is not in the plan', action: plan.unknownEvents },
    ];
  }
  const found: Violation[] = [];
  for (const name of planned.required)
    if (!Object.hasOwn(properties, name))
      found.push({ property: name, rule: 'missing', message: 'is missing', action });
  for (const [name, value] of Object.entries(properties)) {
    if (found.length >= MAX_VIOLATIONS) break;
    const property = planned.properties.get(name);
    const wrong = property ? wrongOf(property, value) : planned.open ? undefined : UNKNOWN_PROPERTY;
    if (wrong) found.push({ property: name, ...wrong, action });
  }
  return found.length === 0 ? NONE : found.slice(0, MAX_VIOLATIONS);
}

type Wrong = Pick<Violation, 'rule' | 'message'>;

const UNKNOWN_PROPERTY: Wrong = { rule: 'unknown-property', message: 'is not in the plan of this event' };

function wrongOf(
  { types, values, format, wrongType, wrongValue }: JudgedProperty,
  value: unknown,
): Wrong | undefined {
  if (!types.some((type) => isOf(type, value))) return { rule: 'type', message: wrongType };
  if (values && !values.has(value)) return { rule: 'enum', message: wrongValue };
  if (format && typeof value === 'string' && !hasFormat(value, format))
    return { rule: 'format', message: FORMATS[format] };
  return undefined;
}

const isOf = (type: PropertyType, value: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeof value === type;

/** Returns whether a text has a format of RFC 3339, and the date exists. */
export function hasFormat(text: string, format: 'date-time' | 'date'): boolean {
  return format === 'date-time' ? isDateTime(text) : /^\d{4}-\d\d-\d\d$/.test(text) && startsWithDate(text);
}

/** The name of what a violation is about, as in the details of an error: `event` or `properties.amount`. */
export const violatedField = ({ property }: Pick<Violation, 'property'>): string =>
  property === '' ? 'event' : `properties.${property}`;
