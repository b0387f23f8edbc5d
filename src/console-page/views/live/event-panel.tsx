import type { VNode } from 'preact';
import type { WatchedEvent } from '../../../contract/schemas/events.ts';
import { propertyKey, writeTerm } from '../../../kit/event-filter/parse.ts';
import { MASKED } from '../../../kit/personal-data.ts';
import { UNSAFE } from '../../../kit/unsafe-characters.ts';
import { Command } from '../../parts/command.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { isExact, propertyText } from './property-text.ts';

/** One event with its properties. `filterBy` adds a term to the filter of the view. */
export function EventPanel(props: {
  event: WatchedEvent;
  filterBy: (term: string) => void;
  close: () => void;
}): VNode {
  const { event, filterBy, close } = props;
  const { type: _, ...data } = event;
  const properties = Object.entries(event.properties ?? {});
  const term = (key: string, value: string) => (
    <FilterButton name={key} value={value} term={writeTerm(key, value)} filterBy={filterBy} />
  );
  return (
    <Panel title={<Text of={event.event} />} close={close}>
      <Facts
        facts={[
          { name: 'Event', value: <Text of={event.event} />, note: term('event', event.event) },
          { name: 'User', value: <Text of={event.userId} />, note: term('user', event.userId) },
          ...(event.origin === undefined
            ? []
            : [{ name: 'Origin', value: event.origin, note: term('origin', event.origin) }]),
          { name: 'Happened', value: <Time at={event.timestamp} millis /> },
          { name: 'Received', value: <Time at={event.receivedAt} millis /> },
          { name: 'Position', value: event.id },
        ]}
      />
      <h3>Properties</h3>
      {event.leftOut !== undefined && (
        <p class="note">They have {event.leftOut} bytes, and are not sent to the page.</p>
      )}
      {properties.length === 0 && event.leftOut === undefined && <p class="note">None.</p>}
      <Facts
        facts={properties.map(([name, value]) => ({
          name: <Text of={name} />,
          value: <Text of={propertyText(value)} />,
          note: isExact(value) && term(propertyKey(name), String(value)),
        }))}
      />
      {properties.some(([, value]) => value === MASKED) && (
        <p class="note">{MASKED} stands for what looks personal. A filter does not find it.</p>
      )}
      <Command label="this event as JSON" line={escapedJson(data)} />
    </Panel>
  );
}

/** JSON in which characters that are not shown stand as escapes, so that what is copied can be read. */
const escapedJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (char) =>
    Array.from(
      { length: char.length },
      (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

function FilterButton(props: {
  name: string;
  value: string;
  term: string;
  filterBy: (term: string) => void;
}): VNode | null {
  const { name, value, term, filterBy } = props;
  if (value === MASKED || value.length > 200) return null;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={cleaned(`Filter by ${name} ${value}`)}
      onClick={() => filterBy(term)}
    >
      filter
    </button>
  );
}
