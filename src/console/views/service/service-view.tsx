import type { VNode } from 'preact';
import type { ConsoleService } from '../../../contract/console.ts';
import { about, svcCommand } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Cards } from '../../parts/facts.tsx';
import { count } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { duration } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';

const EVERY_MS = 5_000;

/** How the service is: whether it answers, what waits for its workers, and the process behind the console. */
export function ServiceView(): VNode {
  const service = useResource('service', (signal) => ask<ConsoleService>('service', { signal }), EVERY_MS);
  const { value, error } = service;
  return (
    <>
      <ViewHead title="Service" command={svcCommand('doctor')} refresh={service.reload} />
      {error && <Failure error={error} retry={service.reload} />}
      {!value && !error && <Loading what="the service" />}
      {value && (
        <>
          <Cards facts={factsOf(value)} />
          <Box title="Due work" note="What waits for the workers of all nodes, counted up to 10,000.">
            {value.backlog === null ? (
              <p>{value.nodes === null ? NOT_SAID : 'The store does not answer.'}</p>
            ) : (
              <Table label="Due work" rows={value.backlog} keyOf={({ kind }) => kind} columns={BACKLOG} />
            )}
          </Box>
          <Box title="Process" note="The one behind this console. A node may have others.">
            {value.nodes === null ? (
              <p>{NOT_SAID}</p>
            ) : (
              <Table label="Process" rows={value.nodes} keyOf={({ pid }) => String(pid)} columns={PROCESS} />
            )}
          </Box>
        </>
      )}
    </>
  );
}

const NOT_SAID = 'A service that is reached over the network does not say it.';

function factsOf({ reached, ready, version }: ConsoleService) {
  const state = !reached ? (
    <Badge tone="bad">does not answer</Badge>
  ) : ready === null ? (
    <Badge>answers</Badge>
  ) : (
    <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
  );
  return [
    { name: 'State', value: state },
    { name: 'Version', value: <Text of={version ?? 'not said'} /> },
    { name: 'Version of svc', value: <Text of={about.value?.version ?? ''} /> },
    { name: 'Workspace', value: <Id of={about.value?.workspace.id ?? ''} /> },
  ];
}

type Backlog = NonNullable<ConsoleService['backlog']>[number];

const BACKLOG: readonly Column<Backlog>[] = [
  { title: 'Kind', cell: ({ kind }) => <Text of={kind} /> },
  { title: 'Due', align: 'end', cell: ({ due }) => count(due) },
  {
    title: 'Oldest for',
    align: 'end',
    cell: ({ due, oldestMs }) => (due === 0 ? '' : duration(Math.max(0, oldestMs))),
  },
];

type Process = NonNullable<ConsoleService['nodes']>[number];

const PROCESS: readonly Column<Process>[] = [
  { title: 'Process', cell: ({ pid }) => pid },
  {
    title: 'State',
    cell: ({ ready }) => <Badge tone={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>,
  },
  { title: 'Runs for', align: 'end', cell: ({ uptimeSeconds }) => duration(uptimeSeconds * 1000) },
  {
    title: 'Memory',
    align: 'end',
    cell: ({ memoryBytes }) => `${count(Math.round(memoryBytes / 2 ** 20))} MiB`,
  },
  {
    title: 'Connections',
    align: 'end',
    wide: true,
    cell: ({ connections }) =>
      Object.entries(connections)
        .map(([state, n]) => `${n} ${state}`)
        .join(', ') || 'none: SQLite',
  },
];
