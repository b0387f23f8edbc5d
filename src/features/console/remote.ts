import type { Connection } from '../../cli/connection/connect.ts';
import { TransportError } from '../../client/errors.ts';
import type { Clock } from '../../kit/clock.ts';
import { limitRows } from '../limits/rows.ts';
import type { OwnParts } from './own.ts';
import { Refusal } from './refusal.ts';

/** What the console shows of a service that it reaches over the network. */
export function remoteParts(
  { client, limits }: Pick<Connection, 'client' | 'limits'>,
  clock: Pick<Clock, 'now'>,
): Pick<OwnParts, 'limits' | 'service' | 'faults'> {
  return {
    limits: async () => ({
      windowMs: null,
      exact: false,
      groups: limitRows(limits.read(), clock.now()).map(
        ({ group, covers, limit, used, remaining, reset, seenAt, stale }) => ({
          group,
          covers,
          limit,
          used: stale ? null : used,
          remaining: stale ? null : remaining,
          nextFreeAt: stale ? null : reset,
          seenAt,
          buckets: null,
        }),
      ),
    }),
    service: async () => {
      const [alive, ready] = await Promise.all([probe(client, '/healthz'), probe(client, '/readyz')]);
      // Another service may have neither address: it is reached, but its state is not known.
      return {
        reached: alive !== undefined || ready !== undefined,
        ready: ready === 200 ? true : ready === 503 ? false : null,
        version: null,
        backlog: null,
        nodes: null,
        process: null,
      };
    },
    faults: {
      read: () => ({ active: false, rules: [] }),
      change: () => {
        throw new Refusal(404, 'not_found', 'Faults are injected by svc serve --faults, in its own process.');
      },
    },
  };
}

/** The status of an address that needs no key; undefined if there was no answer. */
async function probe(client: Connection['client'], path: string): Promise<number | undefined> {
  try {
    return (await client.send({ method: 'GET', path, repeatable: false })).status;
  } catch (error) {
    if (error instanceof TransportError) return undefined;
    throw error;
  }
}
