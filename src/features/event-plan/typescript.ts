import type { EventPlan, PlannedEvent, PlannedProperty } from '../../contract/event-plan.ts';

/** The TypeScript declarations of a plan, for `track` of the app SDK and `ingestEvents` of the client. They import nothing. */
export function typesOfPlan({ plan }: EventPlan): string {
  return `${HEAD}
export interface PlannedEvents {
${plan.map(memberOf).join('')}}
${TAIL}`;
}

const HEAD = `// Made by \`svc events plan\` from a plan of events.

/** The events of the plan, and their properties. */`;

const TAIL = `
export type PlannedName = keyof PlannedEvents;

/** What \`track\` takes: a name of the plan, and its properties. They may be left out where none is required. */
export type PlannedTrack = {
  [Name in PlannedName]: {} extends PlannedEvents[Name]
    ? [name: Name, properties?: PlannedEvents[Name]]
    : [name: Name, properties: PlannedEvents[Name]];
}[PlannedName];

/** An app whose \`track\` takes what is planned: \`const app: Planned<App> = createApp(…)\`. */
export type Planned<App extends { track(name: string, properties?: never): unknown }> = Omit<App, 'track'> & {
  track(...event: PlannedTrack): ReturnType<App['track']>;
};

/** An event of the plan as \`ingestEvents\` of the client takes it. */
export type PlannedEvent = {
  [Name in PlannedName]: {
    userId: string;
    event: Name;
    timestamp: string;
    eventId?: string;
  } & ({} extends PlannedEvents[Name]
    ? { properties?: PlannedEvents[Name] }
    : { properties: PlannedEvents[Name] });
}[PlannedName];
`;

/** The type of what an event may have beside what is planned. */
const OTHERS = '{ [name: string]: string | number | boolean }';

function memberOf({
  event,
  description,
  properties = {},
  required = [],
  additionalProperties = true,
}: PlannedEvent): string {
  const members = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${comment(property.description, '    ')}    ${JSON.stringify(name)}${optional}: ${typeOf(property)};\n`;
  });
  const closed = members.length === 0 ? '{ [name: string]: never }' : `{\n${members.join('')}  }`;
  const type = !additionalProperties ? closed : members.length === 0 ? OTHERS : `${closed} & ${OTHERS}`;
  return `${comment(description, '  ')}  ${JSON.stringify(event)}: ${type};\n`;
}

function typeOf({ type, enum: values }: PlannedProperty): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const names = [type].flat().map((one) => (one === 'integer' ? 'number' : one));
  return [...new Set(names)].join(' | ');
}

/** A comment in one line, which the text cannot end. */
function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const line = text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').replaceAll('*/', '*\\/');
  return `${indent}/** ${line} */\n`;
}
