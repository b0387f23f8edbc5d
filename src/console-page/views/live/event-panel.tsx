import type { VNode } from 'preact';
import type { WatchedEvent } from '../../../contract/schemas/events.ts';
import { propertyKey, writeTerm } from '../../../kit/event-filter/parse.ts';
import { MASKED } from '../../../kit/personal-data.ts';
import { about } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Json } from '../../parts/command.tsx';
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
          { name: 'User', value: <User of={event.userId} />, note: term('user', event.userId) },
          ...(event.origin === undefined
            ? []
            : [{ name: 'Origin', value: event.origin, note: term('origin', event.origin) }]),
          { name: 'Happened', value: <Time at={event.timestamp} millis /> },
          { name: 'Received', value: <Time at={event.receivedAt} millis /> },
          { name: 'Number', value: event.id, note: 'its place among all events of the workspace' },
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
      <h3>As JSON</h3>
      <Json of={data} label="this event as JSON" />
    </Panel>
  );
}

/** The user of an event, with a link to all that is known of them where the console can ask for their hashId. */
function User({ of }: { of: string }): VNode {
  const { value } = useResource(about.value?.local && of !== MASKED ? of : undefined, (signal) =>
    ask<{ hashId: string }>('identify', { method: 'POST', body: { userId: of }, signal }),
  );
  return value ? (
    <a href={`/users/${value.hashId}`}>
      <Text of={of} />
    </a>
  ) : (
    <Text of={of} />
  );
}

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
