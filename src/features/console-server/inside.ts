import { GROUP_LIMITS } from '../../contract/limits.ts';
import { maskPersonal } from '../../kit/personal-data.ts';
import type { FaultControl } from '../../service/faults/inject.ts';
import type { RunningService } from '../../service/running-service.ts';
import type { OwnParts } from './own.ts';
import { Refusal } from './refusal.ts';

/** What the console shows of a service that runs in this process. */
export function insideParts(
  service: RunningService,
  version: string,
): Pick<OwnParts, 'changing' | 'limits' | 'service' | 'refused' | 'identify' | 'faults'> {
  const iso = (at: number) => new Date(at).toISOString();
  return {
    changing: async () => {
      const { mode, region, engine, bytes } = await service.describe();
      return { mode, region, store: { engine, bytes } };
    },
    limits: async () => {
      const { windowMs, groups } = await service.usage();
      const { since, rows } = await service.turnedAway();
      return {
        windowMs,
        exact: true,
        groups: groups.map(({ group, limit, used, nextFreeAt, buckets }) => ({
          group,
          covers: GROUP_LIMITS[group].covers,
          limit,
          used: limit === null ? null : used,
          remaining: limit === null ? null : Math.max(0, limit - used),
          nextFreeAt: nextFreeAt === null ? null : iso(nextFreeAt),
          seenAt: null,
          buckets: limit === null ? null : buckets,
          byMinute: service.askedByMinute(group),
        })),
        turnedAway: {
          since: iso(since),
          rows: rows.map(({ kind, firstAt, lastAt, ...row }) => ({
            ...row,
            publishable: kind === 'publishable',
            firstAt: iso(firstAt),
            lastAt: iso(lastAt),
          })),
        },
      };
    },
    service: async () => {
      const { ready, backlog, nodes } = await service.status();
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
        requestsByMinute: service.requestsByMinute(),
        channels: service.withProvider,
        inside: true,
      };
    },
    refused: () => {
      const { since, rows } = service.refused();
      return {
        since: iso(since),
        rows: rows.map(({ reason, firstAt, lastAt, ...row }) => ({
          ...row,
          // It may quote what was sent.
          reason: String(maskPersonal('text', reason)),
          firstAt: iso(firstAt),
          lastAt: iso(lastAt),
        })),
      };
    },
    identify: async (userId) => ({ hashId: (await service.identify({ userId })).hashId }),
    faults: faultsOf(service.faults),
  };
}

function faultsOf(control: FaultControl | undefined): OwnParts['faults'] {
  const read = () => ({
    active: control !== undefined,
    rules: (control?.state() ?? []).map(({ changedAt, ...rule }) => ({
      ...rule,
      changedAt: changedAt === null ? null : new Date(changedAt).toISOString(),
    })),
    injected: control?.injected() ?? 0,
    latest: (control?.latest() ?? []).map(({ at, ...injected }) => ({
      at: new Date(at).toISOString(),
      ...injected,
    })),
  });
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
      if (rule !== undefined && index === undefined && control?.isFull())
        throw new Refusal(409, 'conflict', 'This process has 100 rules: remove or change one of them.');
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
