import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleImports } from '../../../contract/console.ts';
import { about, svcCommand } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { RangeControl, rangeOf } from '../../parts/range.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { type Meanings, Terms } from '../../parts/term.tsx';
import { cleaned, Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { baseName, importLine, isElsewhere, Path, Rejects, rejectedWords } from './rejects.tsx';

type Import = ConsoleImports['imports'][number];

const TONES: Readonly<Record<Import['state'], Tone>> = {
  running: 'accent',
  unfinished: 'warn',
  finished: 'good',
  unusable: 'bad',
  unreadable: 'bad',
};
const TERMS: Meanings = [
  ['unfinished', 'It was interrupted. The same command with --resume goes on where it stopped.'],
  ['unusable', 'Its journal is damaged: forget it, and import the file again.'],
  ['unreadable', 'Its journal cannot be read now, such as on a full disk. Nothing is lost.'],
  [
    'Rejected',
    'Records that are not valid, in a file beside the input: correct them there, and import that file.',
  ],
  ['In doubt', 'Records that were sent without an answer: they may be stored.'],
];
const EVERY_MS = 2_000;

const FIELDS: readonly FilterField[] = [
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    options: [['', 'Any state'], ...Object.keys(TONES).map((state) => [state, state] as const)],
  },
  { name: 'input', label: 'Input', kind: 'text', placeholder: 'part of a name' },
];

/** The imports whose journals this machine keeps, and removing one so that the next import sends everything. */
export function ImportsView(): VNode {
  const filters = useFilters();
  const { state, input, open: openId } = filters.values;
  const kept = useResource('imports', (signal) => ask<ConsoleImports>('imports', { signal }), EVERY_MS);
  const { value, error } = kept;
  const { since, until } = rangeOf(filters);
  const rows = (value?.imports ?? []).filter(
    (one) =>
      (!since || (one.lastAt ?? '') >= since) &&
      (!until || (one.lastAt ?? '') < until) &&
      (!state || one.state === state) &&
      (!input || (one.inputs ?? []).some((name) => name.includes(input))),
  );
  const open = value?.imports.find(({ id }) => id === openId);
  return (
    <>
      <ViewHead
        title="Imports"
        summary={value ? summaryOf(value.imports) : ''}
        command={svcCommand('imports', 'list')}
        readAt={kept.readAt}
        every={EVERY_MS}
        refresh={kept.reload}
      />
      <div class="toolbar">
        <FilterBar filters={filters} fields={FIELDS} inline />
        <RangeControl filters={filters} />
        <Terms of={TERMS} />
      </div>
      {error && <Failure error={error} retry={kept.reload} />}
      {!value && !error && <Loading what="the imports" />}
      {value && rows.length === 0 && (
        <Empty
          title={value.imports.length > 0 ? 'No imports match.' : 'No imports yet.'}
          command={svcCommand('events', 'import', 'events.csv')}
        >
          <p>Every import of a file keeps a journal here:</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Imports"
          dense
          rows={rows}
          keyOf={({ id }) => id}
          current={({ id }) => id === openId}
          columns={columns(rows, (id) => filters.set({ open: id }))}
        />
      )}
      {open && (
        <ImportPanel
          key={open.id}
          of={open}
          close={() => filters.set({ open: '' })}
          forgotten={() => {
            filters.set({ open: '' });
            kept.reload();
          }}
        />
      )}
    </>
  );
}

/** What came of the imports, and what is to do with one that was interrupted. */
function summaryOf(imports: readonly Import[]): string {
  if (imports.length === 0) return 'No file was imported from this machine yet.';
  const states = Object.keys(TONES)
    .map((state) => [state, imports.filter((one) => one.state === state).length] as const)
    .filter(([, n]) => n > 0)
    .map(([state, n]) => `${count(n)} ${state}`);
  const stored = imports.reduce((sum, { acknowledged }) => sum + (acknowledged ?? 0), 0);
  const hint = imports.some(({ state }) => state === 'unfinished')
    ? '. One that is unfinished goes on where it stopped with --resume.'
    : '';
  const refused = imports.flatMap(({ rejected }) => rejected ?? []);
  const rejects =
    refused.length === 0
      ? ''
      : `, ${rejectedWords({
          count: refused.reduce((sum, { count: n }) => sum + n, 0),
          more: refused.some(({ more }) => more),
        })} rejected`;
  return `${states.join(' · ')}: ${counted(stored, 'record')} stored from this machine${rejects}${hint}`;
}

const UNFINISHED: readonly Column<Import>[] = [
  {
    title: 'In doubt',
    note: 'no answer',
    align: 'end',
    wide: true,
    cell: ({ inDoubt }) => figure(inDoubt),
  },
  { title: 'Left', note: 'not sent yet', align: 'end', wide: true, cell: ({ left }) => figure(left) },
];

/** How many records were rejected, in words; empty where none was. */
const rejectsOf = ({ rejectsFile, rejected }: Import): string =>
  rejected ? (rejected.count > 0 ? rejectedWords(rejected) : '') : rejectsFile === null ? '' : 'some';

/** The state of an import. One that finished without some of its records is no plain success. */
function State({ of }: { of: Import }): VNode {
  const rejects = rejectsOf(of);
  const tone = of.state === 'finished' && rejects !== '' ? 'warn' : TONES[of.state];
  return (
    <Badge tone={tone}>
      {of.state}
      {rejects !== '' && `, ${rejects} rejected`}
    </Badge>
  );
}

/** Part of a bar that can be seen. */
const LEAST = 0.05;

/** How many of the records were stored, and how many rejected, as a bar: some that were rejected are always seen. */
function Share({ of: { acknowledged, rejected } }: { of: Import }): VNode | null {
  const refused = rejected?.count ?? 0;
  const all = (acknowledged ?? 0) + refused;
  if (all === 0) return null;
  const seen = refused === 0 ? 0 : Math.max(refused, all * LEAST);
  return (
    <svg class="share" viewBox={`0 0 ${all} 1`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="well" width={all - seen} height={1} />
      <rect class="failed" x={all - seen} width={seen} height={1} />
    </svg>
  );
}

/** What is left or in doubt has a column where there is any. */
const columns = (rows: readonly Import[], open: (id: string) => void): readonly Column<Import>[] => [
  {
    title: 'Input',
    cell: ({ id, inputs }) => (
      <span title={inputs === null ? undefined : cleaned(inputs.join(', '))}>
        <button type="button" class="row-button" onClick={() => open(id)}>
          <Text of={inputs === null ? id.slice(0, 12) : inputs.map(baseName).join(', ')} />
        </button>
      </span>
    ),
  },
  {
    title: 'State',
    cell: (row) => (
      <>
        <State of={row} />{' '}
        {row.rejectsFile !== null && (
          <button
            type="button"
            class="row-button"
            aria-label={`Why: ${rejectsOf(row)} rejected`}
            onClick={() => open(row.id)}
          >
            why?
          </button>
        )}
      </>
    ),
  },
  { title: 'Kind', wide: true, cell: ({ kind }) => <Text of={kind ?? ''} /> },
  {
    title: 'Stored',
    note: 'records',
    align: 'end',
    wide: true,
    cell: (row) => (
      <>
        <Share of={row} /> {figure(row.acknowledged)}
      </>
    ),
  },
  ...(rows.every(({ inDoubt, left }) => inDoubt === 0 && left === 0) ? [] : UNFINISHED),
  { title: 'Took', align: 'end', wide: true, cell: tookWords },
  {
    title: 'Last sent',
    align: 'end',
    wide: true,
    cell: ({ lastAt }) => (lastAt === null ? '' : <Time at={lastAt} />),
  },
];

/** From the beginning of the latest run until its last batch. */
function tookWords({ runs, lastAt }: Import): string {
  const began = runs?.[0]?.at;
  const ms = began === undefined || lastAt === null ? -1 : Date.parse(lastAt) - Date.parse(began);
  return ms < 0 ? '' : duration(ms);
}

const figure = (n: number | null) => (n === null ? 'not known' : count(n));

/** Why the address of the service is not that of the commands. */
function serviceNote(of: Import): string | undefined {
  const { baseUrl = '' } = about.value ?? {};
  if (of.baseUrl === null || of.baseUrl === baseUrl) return undefined;
  return isElsewhere(of)
    ? 'not that of this console; the commands here name it'
    : `its address then; now it is ${baseUrl || 'found by the profile'}`;
}

function ImportPanel(props: { of: Import; close: () => void; forgotten: () => void }): VNode {
  const {
    id,
    state,
    kind,
    inputs,
    baseUrl,
    workspace,
    acknowledged,
    inDoubt,
    left,
    lastAt,
    rejectsFile,
    resume,
  } = props.of;
  const [asking, setAsking] = useState(false);
  const forget = () => ask(`imports/${encodeURIComponent(id)}`, { method: 'DELETE' }).then(props.forgotten);
  return (
    <Panel
      title={<Text of={inputs === null ? 'Import' : inputs.map(baseName).join(', ')} />}
      close={props.close}
    >
      {/* What one comes for is first. */}
      {rejectsFile !== null && <Rejects of={props.of} file={rejectsFile} />}
      {resume !== null && (
        <>
          <p>It was interrupted. This goes on where it stopped:</p>
          <Command line={importLine(props.of, resume)} label="go on with it" />
        </>
      )}
      <Facts
        facts={[
          { name: 'State', value: <State of={props.of} /> },
          { name: 'Import', value: <Id of={id} /> },
          { name: 'Kind', value: <Text of={kind ?? 'not known'} /> },
          {
            name: 'Inputs',
            value: inputs?.map((input, i) => [i > 0 && ', ', <Path of={input} />]) ?? 'not known',
          },
          { name: 'Service', value: <Text of={baseUrl ?? 'not known'} />, note: serviceNote(props.of) },
          { name: 'Workspace', value: <Text of={workspace ?? 'not known'} /> },
          { name: 'Stored', value: figure(acknowledged), note: 'records that the service acknowledged' },
          // Of one that finished, neither is left.
          ...(state === 'finished' && !inDoubt && !left
            ? []
            : [
                { name: 'In doubt', value: figure(inDoubt), note: 'sent without an answer' },
                { name: 'Left', value: figure(left), note: 'records that were not sent yet' },
              ]),
          { name: 'Took', value: tookWords(props.of) || 'not known', note: 'the latest run' },
          { name: 'Last sent', value: lastAt === null ? 'never' : <Time at={lastAt} /> },
        ]}
      />

      {about.value?.write && state !== 'running' && (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          Forget the import
        </button>
      )}
      <Command line={svcCommand('imports', 'forget', id.slice(0, 12))} label="forget it" />
      {asking && (
        <Confirm
          title="Forget the import?"
          verb="Forget it"
          danger
          run={forget}
          close={() => setAsking(false)}
        >
          <p>
            Nothing that was sent is taken back. Importing the same input again sends all of it; without
            idempotency keys, it is stored twice.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}
