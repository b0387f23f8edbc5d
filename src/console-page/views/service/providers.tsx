import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { Badge } from '../../parts/badge.tsx';
import { count } from '../../parts/numbers.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

type Provider = AnswerOf<'getOverview'>['providers'][number];

function providerWords(providers: readonly Provider[]): string {
  const failing = providers.filter(({ waiting }) => waiting > 0).map(({ channel }) => channel);
  return failing.length === 0
    ? 'No provider fails'
    : `The ${failing.length === 1 ? 'provider' : 'providers'} of ${failing.join(', ')} ${failing.length === 1 ? 'fails' : 'fail'}`;
}

/** When each provider last took a notification. Nothing for a test workspace, which calls none. */
export function Providers({ of }: { of: readonly Provider[] }): VNode | null {
  if (of.length === 0) return null;
  return (
    <Box
      title={providerWords(of)}
      label="Providers"
      note="as far as the latest 200 notifications of each state say"
    >
      <Table label="Providers" rows={of} keyOf={({ channel }) => channel} columns={PROVIDER} />
    </Box>
  );
}

const PROVIDER: readonly Column<Provider>[] = [
  { title: 'Channel', cell: ({ channel }) => <Text of={channel} /> },
  {
    title: 'State',
    cell: ({ waiting, lastSuccessAt }) =>
      waiting > 0 ? (
        <Badge tone="bad">fails</Badge>
      ) : (
        <Badge tone={lastSuccessAt === null ? 'plain' : 'good'}>
          {lastSuccessAt === null ? 'not used' : 'works'}
        </Badge>
      ),
  },
  {
    title: 'Last success',
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? 'none' : <Time at={lastSuccessAt} />),
  },
  {
    title: 'Last failure',
    cell: ({ lastFailureAt }) => (lastFailureAt ? <Time at={lastFailureAt} /> : 'none'),
  },
  {
    title: 'Waiting',
    note: 'after three attempts or more',
    align: 'end',
    cell: ({ waiting }) => count(waiting),
  },
];
