import { scanEvent } from '../formats/json/scan-event.ts';
import type { MappersFor, RecordMappers } from '../formats/record-mappers.ts';
import { requireConsentNamed } from './consent-names.ts';
import { Columns } from './csv-columns.ts';
import { forJson, forTable } from './event-ids.ts';
import { jsonMapper } from './map-json.ts';
import type { Mapping } from './mapping.ts';
import { planned } from './planned.ts';

/** Creates what makes the mappers of the records to send. */
export function recordMappers(given: Mapping): MappersFor {
  return (types) => {
    const mapping: Mapping = types
      ? {
          ...given,
          types: new Map([...types, ...given.types]),
          extraFields: given.extraFields ?? 'properties',
          nulls: 'drop',
        }
      : given;
    const json = forJson(mapping);
    const mappers = {
      json: jsonMapper(json),
      scan: isPlain(json) ? scanEvent : undefined,
      rows: (header, file) => new Columns(header, forTable(mapping, header), file),
      checkNames: (names, file) => requireConsentNamed(names, given, file),
    } satisfies RecordMappers;
    return given.plan ? planned(mappers, given.plan) : mappers;
  };
}

/** Returns whether a record that the scan accepts, which has a time in UTC and neither nulls nor nested values, is sent. */
function isPlain({ kind, map, set, types, timestampFormat, nullTexts, drop, where }: Mapping): boolean {
  return (
    kind === 'events' &&
    map.length + set.size + types.size === 0 &&
    !timestampFormat &&
    !nullTexts?.size &&
    !drop?.size &&
    !where?.size
  );
}
