import {
  type EventPlan,
  hasFormat,
  PLAN_LIMITS,
  type PlannedEvent,
  type PlannedProperty,
} from '../../contract/event-plan.ts';

/** What was seen of a property. */
interface Seen {
  count: number;
  readonly types: Set<'string' | 'number' | 'boolean'>;
  /** The texts; undefined once there are more than a plan would list. */
  values: Set<string> | undefined;
  /** The formats that all texts have. */
  formats: ('date-time' | 'date')[];
}

/** Length of a value that a plan lists, in characters. */
const MAX_VALUE = 1000;

/** Makes a plan of the events that there are, in bounded memory. Types, formats and what is required are those of all events. */
export class PlanBuilder {
  /** Events that the plan has no room for: their names, or others of their properties, are beyond its limits. */
  leftOut = 0;
  count = 0;
  readonly #most: number;
  readonly #events = new Map<string, { count: number; open: boolean; properties: Map<string, Seen> }>();

  /** `values`: how many different texts of a property are listed as its only values; 0 for none. */
  constructor(values: number) {
    this.#most = values;
  }

  add(event: string, properties: object = {}): void {
    this.count++;
    let known = this.#events.get(event);
    if (!known && this.#events.size < PLAN_LIMITS.events) {
      known = { count: 0, open: false, properties: new Map() };
      this.#events.set(event, known);
    }
    if (!known) {
      this.leftOut++;
      return;
    }
    known.count++;
    let all = true;
    for (const [name, value] of Object.entries(properties)) {
      const seen = known.properties.get(name);
      if (seen) this.#see(seen, value);
      else if (known.properties.size < PLAN_LIMITS.properties) known.properties.set(name, this.#first(value));
      else all = false;
    }
    if (all) return;
    known.open = true;
    this.leftOut++;
  }

  #first(value: unknown): Seen {
    const values = this.#most > 0 ? new Set<string>() : undefined;
    const seen: Seen = { count: 0, types: new Set(), values, formats: ['date-time', 'date'] };
    this.#see(seen, value);
    return seen;
  }

  #see(seen: Seen, value: unknown): void {
    seen.count++;
    seen.types.add(typeof value as 'string' | 'number' | 'boolean');
    if (typeof value !== 'string') return;
    seen.formats = seen.formats.filter((format) => hasFormat(value, format));
    if (value.length > MAX_VALUE) seen.values = undefined;
    seen.values?.add(value);
    if (seen.values && seen.values.size > this.#most) seen.values = undefined;
  }

  /** The plan, in the order of names. */
  section(): EventPlan {
    const plan = sorted(this.#events).map(([event, { count, open, properties }]): PlannedEvent => {
      const listed = sorted(properties);
      return {
        event,
        properties: Object.fromEntries(listed.map(([name, seen]) => [name, propertyOf(seen)])),
        required: listed.filter(([, seen]) => seen.count === count).map(([name]) => name),
        additionalProperties: open,
      };
    });
    return { violations: 'warn', unknownEvents: 'warn', plan };
  }
}

function propertyOf({ types, values, formats }: Seen): PlannedProperty {
  const all = [...types].sort();
  const onlyText = all.length === 1 && all[0] === 'string';
  return {
    type: all.length === 1 ? all[0]! : all,
    ...(onlyText && values && { enum: [...values].sort() }),
    ...(onlyText && formats[0] && { format: formats[0] }),
  };
}

const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));
