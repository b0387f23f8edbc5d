import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleFaults } from '../../../contract/console.ts';
import { MAX_INJECTIONS } from '../../../contract/limits.ts';
import { about, refreshAbout } from '../../data/about.ts';
import { ask, requestLine, search } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, Text } from '../../parts/text.tsx';
import { Ago, duration, Time } from '../../parts/time.tsx';
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
    return ask('faults', { method: 'PUT', body }).then(changed, setFailure);
  };
  const changed = () => {
    faults.reload();
    refreshAbout();
  };
  const on = (value?.rules ?? []).filter((rule) => rule.on);
  const end = async () => {
    for (const { place: where, index } of on) await put({ place: where, index, on: false });
  };
  const change = ({ place: where, index, on }: Rule) => put({ place: where, index, on: !on });
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
            <>
              {on.length > 0 && (
                <button type="button" onClick={end}>
                  Switch all off
                </button>
              )}
              <button type="button" onClick={() => setEdited({})}>
                New rule…
              </button>
            </>
          )
        }
      />
      {/* Above the rules: a button must not move away under who presses it. */}
      {value?.active && write && (
        <Box title="Rules to begin with" note="each holds until the service stops">
          <ul class="examples">
            {EXAMPLES.map(({ what, place: where, rule }) => {
              const known = value.rules.find((each) => each.place === where && isSame(each.rule, rule));
              const [verb, body] = known
                ? ['Remove', { place: where, index: known.index, remove: true }]
                : ['Add', { place: where, rule }];
              return (
                <li class="actions">
                  <button type="button" aria-label={`${verb}: ${what}`} onClick={() => put(body)}>
                    {verb}
                  </button>{' '}
                  {known && <StateOf rule={known} />} {what}
                </li>
              );
            })}
          </ul>
        </Box>
      )}
      <FilterBar filters={filters} fields={[PLACE]} />
      {(failure ?? error) && <Failure error={(failure ?? error)!} retry={faults.reload} />}
      {!value && !error && <Loading what="the faults" />}
      {value && rows.length === 0 && (
        <Empty
          title={
            !value.active
              ? 'No faults are injected here.'
              : value.rules.length > 0
                ? 'No rules match.'
                : 'No rules.'
          }
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
      {value?.active && (
        <Latest
          of={value.latest}
          rules={value.rules}
          edit={write ? (rule) => setEdited({ of: rule }) : undefined}
        />
      )}
      {edited && <RuleDialog {...edited} done={changed} close={() => setEdited(undefined)} />}
    </>
  );
}

/** True if two rules have the same members, in whatever order. */
const isSame = (a: object, b: object) =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

const StateOf = ({ rule: { on } }: { rule: Rule }) => (
  <Badge tone={on ? 'warn' : 'plain'}>{on ? 'on' : 'off'}</Badge>
);

/** What was injected last: when, into which request or delivery, and to what effect. */
function Latest(props: {
  of: readonly Injected[];
  rules: readonly Rule[];
  /** Opens a rule; undefined where it cannot be changed. */
  edit: ((rule: Rule) => void) | undefined;
}): VNode {
  const { of, rules, edit } = props;
  const [last] = of;
  return (
    <Box
      title={last ? ['The last fault was injected ', <Ago at={last.at} />] : 'No fault was injected yet'}
      label="Latest injections"
      note="by this process, up to 50 of each fault, also by rules that are off or removed"
    >
      {last && (
        <Table
          label="Latest injections"
          dense
          rows={grouped(of)}
          keyOf={({ key }) => key}
          columns={injectedColumns(of, rules, edit)}
        />
      )}
    </Box>
  );
}

type Injected = ConsoleFaults['latest'][number];

/** Injections that are alike, as the latest of them. */
interface Alike extends Injected {
  readonly key: string;
  readonly times: number;
}

/** The injections of each fault into each operation or kind of outcome, the newest first. */
function grouped(latest: readonly Injected[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const each of latest) {
    const key = [each.place, each.fault, each.of, each.delayMs].join(' ');
    const known = groups.get(key);
    groups.set(key, { ...(known ?? { ...each, key }), times: (known?.times ?? 0) + 1 });
  }
  return [...groups.values()];
}

/** A row leads to the delivery, or to the rule that answered the request so. */
const injectedColumns = (
  latest: readonly Injected[],
  rules: readonly Rule[],
  edit: ((rule: Rule) => void) | undefined,
): readonly Column<Alike>[] => [
  {
    title: 'Into',
    cell: (injected) => {
      const { of, deliveryId } = injected;
      if (deliveryId)
        return (
          <a href={`/webhooks${search({ delivery: deliveryId })}`}>
            <Cut of={of} />
          </a>
        );
      const rule = ruleOf(rules, injected);
      const request = <Cut of={requestLine(of) || of} />;
      return rule && edit ? (
        <button type="button" class="quiet" title="Change its rule" onClick={() => edit(rule)}>
          {request}
        </button>
      ) : (
        request
      );
    },
  },
  {
    title: 'Effect',
    wide: true,
    cell: ({ place, fault, delayMs }) =>
      `${EFFECTS[place][fault] ?? fault}${delayMs === undefined ? '' : `, by ${duration(delayMs)}`}`,
  },
  { title: 'Fault', cell: ({ fault }) => fault },
  {
    title: 'Times',
    align: 'end',
    wide: true,
    // Of each fault, so many are kept.
    cell: ({ place, fault, times }) =>
      latest.filter((each) => each.place === place && each.fault === fault).length >= MAX_INJECTIONS
        ? `${count(times)} or more`
        : count(times),
  },
  { title: 'Last', align: 'end', cell: ({ at }) => <Time at={at} /> },
];

/** How many rules are on, or what they are for. */
function summaryOf({ active, rules, injected }: ConsoleFaults): string {
  const on = rules.filter((rule) => rule.on);
  return active
    ? `Failures on purpose: ${count(on.length)} of ${counted(rules.length, 'rule')} on, ${counted(injected, 'fault')} injected.`
    : 'Failures on purpose, to test how your side takes them.';
}

/** Starts a service here, so the words that choose the one that is shown are left out. */
const startCommand = () => `${about.value?.commandPrefix ?? 'svc'} serve --console --faults faults.json`;

/** A rule in words that no other has. */
const nameOf = ({ rule, place, index }: Rule) => `${rule.fault} (${place} ${index + 1})`;

/** The rule that injected a fault, presumably: of those that can, the first. */
const ruleOf = (rules: readonly Rule[], { place, fault, of }: Injected): Rule | undefined =>
  rules.find(
    ({ place: where, rule }) =>
      where === place && rule.fault === fault && [of, undefined].includes(rule.endpoint ?? rule.type),
  );

const columns = (
  write: boolean,
  change: (rule: Rule) => void,
  edit: (rule: Rule) => void,
): readonly Column<Rule>[] => [
  {
    title: 'Fault',
    cell: (row) => (
      <>
        {write ? (
          <button type="button" class="quiet" aria-label={`Change: ${nameOf(row)}`} onClick={() => edit(row)}>
            <Text of={row.rule.fault} />
          </button>
        ) : (
          <Text of={row.rule.fault} />
        )}{' '}
        <span class="note wide">{EFFECTS[row.place][row.rule.fault]}</span>
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
  {
    title: 'Last changed',
    wide: true,
    cell: ({ changedAt }) =>
      changedAt === null ? (
        'not since the service started'
      ) : (
        <>
          <Time at={changedAt} />, from the console
        </>
      ),
  },
  { title: 'Matched', align: 'end', wide: true, cell: ({ seen }) => count(seen) },
  { title: 'Injected', align: 'end', wide: true, cell: ({ hits }) => count(hits) },
  {
    title: 'State',
    align: 'end',
    cell: (row) => (
      <>
        <span class={write ? 'wide' : undefined}>
          <StateOf rule={row} />{' '}
        </span>
        {write && (
          <button
            type="button"
            role="switch"
            class="switch"
            aria-checked={row.on}
            aria-label={nameOf(row)}
            onClick={() => change(row)}
          />
        )}
      </>
    ),
  },
];
