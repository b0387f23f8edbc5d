import { type Member, membersOf } from './json-members.ts';
import { cellJson, type Mapping, propertyName } from './mapping.ts';
import { FIELDS, FREE_PART } from './record-kind.ts';
import { toUtc } from './timestamps.ts';
import { checkRecord, parseObject } from './validate.ts';
import type { ValidationError } from './validation-errors.ts';

/** Maps the text of a record to the text to send, or to a validation error. Unchanged text is sent byte for byte. */
export type RecordMapper = (text: string) => { readonly text: string } | ValidationError;

/**
 * Creates the mapper of NDJSON records for the flags. Values are copied as text, so that numbers keep their spelling; a
 * record that needs no change is returned unchanged. The result is validated like any record.
 */
export function jsonMapper(mapping: Mapping): RecordMapper {
  const changes =
    mapping.map.size > 0 ||
    mapping.set.size > 0 ||
    mapping.convert !== undefined ||
    (mapping.extraFields ?? 'reject') !== 'reject';
  return (text) => {
    if (changes) {
      const parsed = parseObject(text);
      if ('field' in parsed) return parsed;
      const made = reshape(text, mapping);
      if ('field' in made) return made;
      return checkRecord(mapping, made.text, made.errors) ?? { text: made.text };
    }
    return checkRecord(mapping, text) ?? { text };
  };
}

/** A record under construction: the JSON text of each field and property, in order. */
interface Draft {
  readonly fields: Map<string, string>;
  readonly properties: Map<string, string>;
  changed: boolean;
}

/** Returns the new text, and errors for values that could not be converted. */
function reshape(
  text: string,
  mapping: Mapping,
): { text: string; errors: ValidationError[] } | ValidationError {
  const draft: Draft = { fields: new Map(), properties: new Map(), changed: false };
  for (const member of membersOf(text)) {
    const error = place(text, member, mapping, draft);
    if (error) return error;
  }
  const errors = [convert(draft, mapping), constants(draft, mapping)].filter((error) => error !== null);
  return { text: draft.changed ? serialize(draft, FREE_PART[mapping.kind]) : text, errors };
}

function place(text: string, member: Member, mapping: Mapping, draft: Draft): ValidationError | null {
  const freePart = FREE_PART[mapping.kind];
  const mapped = mapping.map.get(member.name);
  const name = mapped ?? member.name;
  if (mapped !== undefined) draft.changed = true;
  if (name === freePart) return spread(text, member, freePart, draft);
  const value = text.slice(member.start, member.end);
  if (FIELDS[mapping.kind].includes(name)) return put(draft.fields, name, value, name);
  const extra = mapped !== undefined ? 'properties' : (mapping.extraFields ?? 'reject');
  if (extra === 'reject') return put(draft.fields, name, value, name);
  draft.changed = true;
  if (extra === 'drop') return null;
  const property = propertyName(name, freePart);
  return put(draft.properties, property, value, `${freePart}.${property}`);
}

function spread(text: string, member: Member, freePart: string, draft: Draft): ValidationError | null {
  if (text[member.start] !== '{') return { field: freePart, reason: 'must be an object' };
  for (const inner of membersOf(text, member.start)) {
    const value = text.slice(inner.start, inner.end);
    const error = put(draft.properties, inner.name, value, `${freePart}.${inner.name}`);
    if (error) return error;
  }
  // Kept even if it is empty.
  draft.fields.set(freePart, '');
  return null;
}

function put(into: Map<string, string>, name: string, value: string, field: string): ValidationError | null {
  if (into.has(name)) return { field, reason: 'is given twice' };
  into.set(name, value);
  return null;
}

function convert(draft: Draft, mapping: Mapping): ValidationError | null {
  const given = draft.fields.get('timestamp');
  if (mapping.convert === undefined || given === undefined) return null;
  if (given[0] !== '"' && !/^-?\d/.test(given)) return null;
  const text = given[0] === '"' ? (JSON.parse(given) as string) : given;
  const converted = toUtc(text, mapping.convert);
  if (!converted.ok) return { field: 'timestamp', reason: converted.reason };
  if (converted.zoneless) mapping.onZoneless?.();
  if (converted.utc === text && given[0] === '"') return null;
  draft.fields.set('timestamp', JSON.stringify(converted.utc));
  draft.changed = true;
  return null;
}

/** Applies `--set`, which overrides values of the record. */
function constants(draft: Draft, mapping: Mapping): ValidationError | null {
  const freePart = FREE_PART[mapping.kind];
  for (const [name, value] of mapping.set) {
    draft.changed = true;
    if (FIELDS[mapping.kind].includes(name)) {
      draft.fields.set(name, JSON.stringify(value));
      continue;
    }
    const cell = cellJson(value, mapping.types.get(name));
    if ('reason' in cell) return { field: name, reason: cell.reason };
    draft.properties.set(propertyName(name, freePart), cell.json);
  }
  return null;
}

function serialize(draft: Draft, freePart: string): string {
  const fields: string[] = [];
  let free = draft.fields.has(freePart);
  for (const [name, value] of draft.fields)
    if (name !== freePart) fields.push(`${JSON.stringify(name)}:${value}`);
  const properties: string[] = [];
  for (const [name, value] of draft.properties) properties.push(`${JSON.stringify(name)}:${value}`);
  free ||= properties.length > 0;
  if (free) fields.push(`"${freePart}":{${properties.join(',')}}`);
  return `{${fields.join(',')}}`;
}
