import type { ValidationError } from '../record/validation-errors.ts';
import { cellJson } from './mapping.ts';
import { checkRecord } from './validate.ts';

/** Builds the JSON text of an event and validates it as an import does. Returns a validation error if it is invalid. */
export function eventText(
  userId: string,
  event: string,
  timestamp: string,
  properties: readonly string[],
  eventId: string | undefined,
): { json: string } | ValidationError {
  const members: string[] = [];
  for (const pair of properties) {
    const at = pair.indexOf('=');
    if (at <= 0) return { field: `--property ${pair}`, reason: 'must be written as name=value' };
    const cell = cellJson(pair.slice(at + 1), undefined);
    if ('json' in cell) members.push(`${JSON.stringify(pair.slice(0, at))}:${cell.json}`);
  }
  const fields = [
    `"userId":${JSON.stringify(userId)}`,
    `"event":${JSON.stringify(event)}`,
    `"timestamp":${JSON.stringify(timestamp)}`,
    ...(eventId === undefined ? [] : [`"eventId":${JSON.stringify(eventId)}`]),
    ...(members.length > 0 ? [`"properties":{${members.join(',')}}`] : []),
  ];
  const json = `{${fields.join(',')}}`;
  return checkRecord({ kind: 'events', validate: true }, json) ?? { json };
}
