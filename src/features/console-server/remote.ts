import type { Connection } from '../../cli/connection/connect.ts';
import { TransportError } from '../../client/errors.ts';
import type { Clock } from '../../kit/clock.ts';
import { limitRows } from '../limits/rows.ts';
import type { OwnParts } from './own.ts';
import { Refusal } from './refusal.ts';

/** What the console shows of a service that it reaches over the network. `modeSeen` is the mode in its last answer. */
export function remoteParts(
  { client, limits }: Pick<Connection, 'client' | 'limits'>,
  clock: Pick<Clock, 'now'>,
  modeSeen: () => string | undefined,
): Pick<OwnParts, 'changing' | 'limits' | 'service' | 'refused' | 'identify' | 'faults'> {
  let asked: Promise<unknown> | undefined;
  return {
    changing: async () => {
      // One read, for a page that shows only what the console itself knows: later answers say it too.
      if (modeSeen() === undefined) {
        asked ??= client.call('listWebhooks').catch(() => undefined);
        await asked;
      }
      const mode = modeSeen();
      return { mode: mode === 'live' || mode === 'test' ? mode : null, region: null, store: null };
    },
    limits: async () => ({
      windowMs: null,
      exact: false,
      turnedAway: null,
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
          byMinute: null,
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
        data: null,
        requests: null,
        requestsByMinute: null,
        channels: null,
        inside: false,
      };
    },
    refused: () => ({ since: null, rows: [] }),
    identify: undefined,
    faults: {
      read: () => ({ active: false, rules: [], injected: 0, latest: [] }),
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
