import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleFaults } from '../../../contract/console.ts';
import type { EndpointName } from '../../../contract/endpoints.ts';
import { OPERATIONS } from '../../../contract/operations.gen.ts';
import { about } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { EFFECTS, EXAMPLES, type Rule, whenOf } from './fault-words.ts';
import { RuleDialog } from './rule-dialog.tsx';

const EVERY_MS = 2_000;

const PLACE: FilterField = {
  name: 'place',
  label: 'Where faults are injected',
  kind: 'choice',
  options: [
    ['', 'All'],
    ['requests', 'Requests'],
    ['deliveries', 'Deliveries'],
  ],
};

/** The faults that the service injects: the rules, how often each was used, and a switch for each. */
export function FaultsView(): VNode {
  const filters = useFilters();
  const { place } = filters.values;
  const [failure, setFailure] = useState<Error>();
  const faults = useResource('faults', (signal) => ask<ConsoleFaults>('faults', { signal }), EVERY_MS);
  const { value, error } = faults;
  const [edited, setEdited] = useState<{ of?: Rule }>();
  const write = about.value?.write === true;
  const put = (body: object) => {
    setFailure(undefined);
    ask('faults', { method: 'PUT', body }).then(faults.reload, setFailure);
  };
  const change = ({ place: where, index, on }: Rule) => put({ place: where, index, on: !on });
  const add = ({ place: where, rule }: (typeof EXAMPLES)[number]) => put({ place: where, rule });
  const rows = (value?.rules ?? []).filter((rule) => !place || rule.place === place);
  return (
    <>
      <ViewHead
        title="Faults"
        summary={value ? summaryOf(value) : ''}
        command={startCommand()}
        readAt={faults.readAt}
        every={EVERY_MS}
        refresh={faults.reload}
        actions={
          value?.active &&
          write && (
            <button type="button" onClick={() => setEdited({})}>
              New rule…
            </button>
          )
        }
      />
      <FilterBar filters={filters} fields={[PLACE]} />
      {(failure ?? error) && <Failure error={(failure ?? error)!} retry={faults.reload} />}
      {!value && !error && <Loading what="the faults" />}
      {value && rows.length === 0 && (
        <Empty
          title={value.active ? 'No rules match.' : 'No faults are injected here.'}
          command={startCommand()}
        >
          {!value.active && (
            <>
              <p>
                A file of rules makes this service fail on purpose. Copy one into faults.json to begin with:
              </p>
              <ul class="examples">
                {EXAMPLES.map(({ what, place: where, rule }) => (
                  <li>
                    <p>{what}</p>
                    <Command line={JSON.stringify({ seed: 1, [where]: [rule] })} label={what} />
                  </li>
                ))}
              </ul>
              <p>Then start the service with it:</p>
            </>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Rules"
          dense
          rows={rows}
          keyOf={({ place: where, index }) => `${where} ${index}`}
          columns={columns(write, change, (rule) => setEdited({ of: rule }))}
        />
      )}
      {value?.active && write && (
        <Box title="Rules to begin with" note="each holds until the service stops, and can be changed above">
          <ul class="examples">
            {EXAMPLES.map((example) => (
              <li class="actions">
                <button type="button" aria-label={`Add: ${example.what}`} onClick={() => add(example)}>
                  Add
                </button>{' '}
                {example.what}
              </li>
            ))}
          </ul>
        </Box>
      )}
      {edited && <RuleDialog {...edited} done={faults.reload} close={() => setEdited(undefined)} />}
    </>
  );
}

/** How many rules are on, or what they are for. */
function summaryOf({ active, rules }: ConsoleFaults): string {
  const on = rules.filter((rule) => rule.on);
  const hits = rules.reduce((sum, rule) => sum + rule.hits, 0);
  return active
    ? `Failures on purpose: ${count(on.length)} of ${counted(rules.length, 'rule')} on, ${counted(hits, 'fault')} injected.`
    : 'Failures on purpose, to test how your side takes them.';
}

/** Starts a service here, so the words that choose the one that is shown are left out. */
const startCommand = () => `${about.value?.commandPrefix ?? 'svc'} serve --console --faults faults.json`;

/** The request of an operation: `POST /v1/events`. */
function requestLine(name: string): string {
  const found = OPERATIONS[name as EndpointName];
  return found ? `${found.method} ${found.path}` : '';
}

const columns = (
  write: boolean,
  change: (rule: Rule) => void,
  edit: (rule: Rule) => void,
): readonly Column<Rule>[] => [
  {
    title: 'Fault',
    cell: ({ place, rule }) => (
      <>
        <Text of={rule.fault} /> <span class="note">{EFFECTS[place][rule.fault]}</span>
      </>
    ),
  },
  {
    title: 'Where',
    cell: ({ place, rule }) => (
      <span title={rule.endpoint && requestLine(rule.endpoint)}>
        <Text of={rule.endpoint ?? rule.type ?? (place === 'requests' ? 'any request' : 'any delivery')} />
      </span>
    ),
  },
  { title: 'When', wide: true, cell: ({ rule }) => <Text of={whenOf(rule)} /> },
  { title: 'Matched', align: 'end', wide: true, cell: ({ seen }) => count(seen) },
  { title: 'Injected', align: 'end', cell: ({ hits }) => count(hits) },
  {
    title: 'State',
    align: 'end',
    cell: (row) => {
      const name = `${row.rule.fault} (${row.place} ${row.index + 1})`;
      return (
        <>
          <Badge tone={row.on ? 'warn' : 'plain'}>{row.on ? 'on' : 'off'}</Badge>{' '}
          {write && (
            <>
              <button
                type="button"
                aria-label={`Switch ${row.on ? 'off' : 'on'}: ${name}`}
                onClick={() => change(row)}
              >
                {row.on ? 'Switch off' : 'Switch on'}
              </button>{' '}
              <button type="button" aria-label={`Change: ${name}`} onClick={() => edit(row)}>
                Change…
              </button>
            </>
          )}
        </>
      );
    },
  },
];
