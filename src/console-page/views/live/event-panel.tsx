import type { VNode } from 'preact';
import { propertyKey, writeTerm } from '../../../kit/event-filter/parse.ts';
import { MASKED } from '../../../kit/personal-data.ts';
import { Json } from '../../parts/command.tsx';
import { Facts } from '../../parts/facts.tsx';
import { bytes, count } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Term } from '../../parts/term.tsx';
import { cleaned, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import type { LiveEvent } from './live-feed.ts';
import { isExact, propertyText } from './property-text.ts';

/** One event with its properties. `filterBy` adds a term to the filter of the view. */
export function EventPanel(props: {
  event: LiveEvent;
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
          ...(event.hashId === undefined
            ? []
            : [
                {
                  name: 'User',
                  value: (
                    <a href={`/users/${event.hashId}`}>
                      <Id of={event.hashId} short />
                    </a>
                  ),
                  note: <Term of="hashId" />,
                },
              ]),
          ...(event.origin === undefined
            ? []
            : [{ name: 'Origin', value: event.origin, note: term('origin', event.origin) }]),
          { name: 'Happened', value: <Time at={event.timestamp} millis /> },
          { name: 'Received', value: <Time at={event.receivedAt} millis /> },
          {
            name: 'Number',
            value: count(Number(event.id)),
            note: 'its place among all events of the workspace',
          },
        ]}
      />
      <h3>Properties</h3>
      {event.leftOut !== undefined && (
        <p class="note">They have {bytes(event.leftOut)}, and are not sent to the page.</p>
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
