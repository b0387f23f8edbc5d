import { GROUP_LIMITS } from '../../contract/limits.ts';
import type { FaultControl } from '../../service/faults/inject.ts';
import type { RunningService } from '../../service/running-service.ts';
import type { OwnParts } from './own.ts';
import { Refusal } from './refusal.ts';

/** What the console shows of a service that runs in this process. */
export function insideParts(
  service: RunningService,
  version: string,
): Pick<OwnParts, 'changing' | 'limits' | 'service' | 'identify' | 'faults'> {
  return {
    changing: async () => {
      const { mode, region, engine, bytes } = await service.describe();
      return { mode, region, store: { engine, bytes } };
    },
    limits: async () => {
      const { windowMs, groups } = await service.usage();
      return {
        windowMs,
        exact: true,
        groups: groups.map(({ group, limit, used, nextFreeAt, buckets }) => ({
          group,
          covers: GROUP_LIMITS[group].covers,
          limit,
          used: limit === null ? null : used,
          remaining: limit === null ? null : Math.max(0, limit - used),
          nextFreeAt: nextFreeAt === null ? null : new Date(nextFreeAt).toISOString(),
          seenAt: null,
          buckets: limit === null ? null : buckets,
        })),
      };
    },
    service: async () => {
      const { ready, backlog, nodes, memoryBytes, connections } = await service.status();
      const iso = (at: number) => new Date(at).toISOString();
      return {
        reached: true,
        ready,
        version,
        backlog,
        nodes:
          nodes?.map(({ startedAt, seenAt, ...node }) => ({
            ...node,
            startedAt: iso(startedAt),
            seenAt: iso(seenAt),
          })) ?? null,
        data: ready ? await service.storedData() : null,
        requests: service.requests(),
        channels: service.withProvider,
        process: { memoryBytes, connections },
      };
    },
    identify: async (userId) => ({ hashId: (await service.identify({ userId })).hashId }),
    faults: faultsOf(service.faults),
  };
}

function faultsOf(control: FaultControl | undefined): OwnParts['faults'] {
  const read = () => ({ active: control !== undefined, rules: control?.state() ?? [] });
  return {
    read,
    change: (body) => {
      const { place, index, on, rule, remove } = (body ?? {}) as Record<string, unknown>;
      const isIndex = Number.isInteger(index);
      const valid =
        (place === 'requests' || place === 'deliveries') &&
        (rule === undefined
          ? isIndex && (remove === true || typeof on === 'boolean')
          : isIndex || index === undefined);
      if (!valid)
        throw new Refusal(
          400,
          'invalid_request',
          'The body names no change: {"place", "index", "on"}, {"place", "rule"} with "index" for one that is there, or {"place", "index", "remove": true}.',
        );
      const changed = (number: number | undefined) => {
        if (rule !== undefined) return control?.put(place, rule, number);
        return remove === true
          ? control?.remove(place, number!)
          : control?.switch(place, number!, on as boolean);
      };
      const details = rule === undefined ? [] : (control?.problems(place, rule) ?? []);
      if (details.length > 0)
        throw new Refusal(400, 'invalid_request', 'The rule is not valid.', { details });
      if (!changed(index as number | undefined))
        throw new Refusal(
          404,
          'not_found',
          'There is no such rule: the faults come with svc serve --faults.',
        );
      return read();
    },
  };
}
