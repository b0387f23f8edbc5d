import type { RecordKind } from '../record/record-kind.ts';
import { columnsOf, type MapRule } from './map-rules.ts';
import type { Mapping } from './mapping.ts';

const isIdRule = ({ target }: MapRule) => target === 'eventId';

/** Returns whether a rule reads the ids of events. */
export function mapsEventIds({
  kind,
  map,
}: {
  readonly kind: RecordKind;
  readonly map: Mapping['map'];
}): boolean {
  return kind === 'events' && map.some(isIdRule);
}

/**
 * The mapping for a service that does not take `eventId`: what the rule reads is a property like any other, and is left out
 * where unknown fields are refused.
 */
export function withoutEventIds(mapping: Mapping): Mapping {
  const map = mapping.map.filter((rule) => !isIdRule(rule));
  const others = new Set(columnsOf(map));
  const unsentIds = columnsOf(mapping.map.filter(isIdRule)).filter((name) => !others.has(name));
  return { ...mapping, map, unsentIds };
}

/** The mapping of JSON records. */
export function forJson(mapping: Mapping): Mapping {
  const { unsentIds = [], extraFields = 'reject' } = mapping;
  return extraFields === 'reject' ? dropping(mapping, unsentIds) : mapping;
}

/** The mapping of a table: the rule of a source for ids, which not all of its tables have, may lack its columns. */
export function forTable(mapping: Mapping, header: readonly string[]): Mapping {
  const { unsentIds = [], extraFields, sourceIds, map } = mapping;
  const names = new Set(header);
  const present = ({ sources }: MapRule) => sources.some((parts) => parts.every((name) => names.has(name)));
  const strict =
    extraFields === 'reject'
      ? dropping(
          mapping,
          unsentIds.filter((name) => names.has(name)),
        )
      : mapping;
  if (!sourceIds) return strict;
  return { ...strict, map: map.filter((rule) => !isIdRule(rule) || present(rule)) };
}

function dropping(mapping: Mapping, names: readonly string[]): Mapping {
  return names.length === 0 ? mapping : { ...mapping, drop: new Set([...(mapping.drop ?? []), ...names]) };
}
