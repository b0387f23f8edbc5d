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
import { count, counted, percent } from '../../parts/numbers.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { duration } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';

type Rule = ConsoleFaults['rules'][number];

const EVERY_MS = 2_000;

/** Files of rules to begin with. */
const EXAMPLES = [
  {
    what: 'Every fifth batch of events is answered with 503: does your client try again?',
    rules: { seed: 1, requests: [{ endpoint: 'ingestEvents', fault: 'fail', status: 503, every: 5 }] },
  },
  {
    what: 'Decisions are answered two seconds late: does your app wait, or show something else?',
    rules: { seed: 1, requests: [{ endpoint: 'decide', fault: 'slow-answer', delayMs: 2000 }] },
  },
  {
    what: 'Every third delivery comes twice: does your webhook handler count it once?',
    rules: { seed: 1, deliveries: [{ fault: 'double', every: 3 }] },
  },
] as const;

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
  const change = ({ place: where, index, on }: Rule) => {
    setFailure(undefined);
    ask('faults', { method: 'PUT', body: { place: where, index, on: !on } }).then(faults.reload, setFailure);
  };
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
                {EXAMPLES.map(({ what, rules }) => (
                  <li>
                    <p>{what}</p>
                    <Command line={JSON.stringify(rules)} label={what} />
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
          rows={rows}
          keyOf={({ place: where, index }) => `${where} ${index}`}
          columns={columns(about.value?.write === true, change)}
        />
      )}
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

/** What faults do, in words. */
const EFFECTS: Readonly<Record<string, string>> = {
  refuse: 'answered with 429, not executed',
  fail: 'answered with an error, not executed',
  'fail-after-commit': 'executed, then answered with an error',
  'lose-answer': 'executed, then closed without an answer',
  'slow-answer': 'executed, answered late',
  'cut-answer': 'executed, half of the answer is sent',
  double: 'delivered twice',
  late: 'delivered late',
  'out-of-order': 'delivered after the next one',
  'wrong-signature': 'delivered with a wrong signature',
};

/** Starts a service here, so the words that choose the one that is shown are left out. */
const startCommand = () => `${about.value?.commandPrefix ?? 'svc'} serve --console --faults faults.json`;

/** Members of a rule in words. */
const WORDS: Readonly<Record<string, (value: unknown) => string>> = {
  every: (n) => `once in ${n}`,
  from: (n) => `from match ${n} on`,
  to: (n) => `until match ${n}`,
  burst: (n) => `${n} in a row`,
  chance: (share) => `with a chance of ${percent(Number(share))}`,
  status: (status) => `status ${status}`,
  retryAfter: (seconds) => `try again after ${seconds} s`,
  delayMs: (ms) => `${duration(Number(ms))} late`,
};

/** The rest of a rule in words: when it applies. */
function whenOf({ rule }: Rule): string {
  const { fault, endpoint, type, ...when } = rule as Rule['rule'] & Record<string, unknown>;
  const words = Object.entries(when).map(
    ([name, value]) => WORDS[name]?.(value) ?? `${name} ${String(value)}`,
  );
  return words.length === 0 ? 'always' : words.join(', ');
}

/** The request of an operation: `POST /v1/events`. */
function requestLine(name: string): string {
  const found = OPERATIONS[name as EndpointName];
  return found ? `${found.method} ${found.path}` : '';
}

const columns = (write: boolean, change: (rule: Rule) => void): readonly Column<Rule>[] => [
  {
    title: 'Fault',
    cell: ({ rule }) => (
      <>
        <Text of={rule.fault} />
        <div class="note">{EFFECTS[rule.fault]}</div>
      </>
    ),
  },
  {
    title: 'Where',
    cell: ({ place, rule }) => (
      <>
        <Text of={rule.endpoint ?? rule.type ?? (place === 'requests' ? 'any request' : 'any delivery')} />
        <div class="note">{rule.endpoint && requestLine(rule.endpoint)}</div>
      </>
    ),
  },
  { title: 'When', wide: true, cell: (row) => <Text of={whenOf(row)} /> },
  { title: 'Matched', align: 'end', wide: true, cell: ({ seen }) => count(seen) },
  { title: 'Injected', align: 'end', cell: ({ hits }) => count(hits) },
  {
    title: 'State',
    align: 'end',
    cell: (row) => (
      <>
        <Badge tone={row.on ? 'warn' : 'plain'}>{row.on ? 'on' : 'off'}</Badge>{' '}
        {write && (
          <button
            type="button"
            aria-label={`Switch ${row.on ? 'off' : 'on'}: ${row.rule.fault} (${row.place} ${row.index + 1})`}
            onClick={() => change(row)}
          >
            {row.on ? 'Switch off' : 'Switch on'}
          </button>
        )}
      </>
    ),
  },
];
