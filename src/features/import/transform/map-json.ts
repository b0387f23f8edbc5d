import { type Member, membersOf } from './json-members.ts';
import { cellJson, type Mapping, propertyName } from './mapping.ts';
import { FIELDS, FREE_PART } from './record-kind.ts';
import { toUtc } from './timestamps.ts';
import { checkRecord, parseObject } from './validate.ts';
import type { ValidationError } from './validation-errors.ts';

/** What becomes of the text of a record: the fault, or the text to send. The same text goes out byte for byte. */
export type RecordMapper = (text: string) => { readonly text: string } | ValidationError;

/**
 * What the flags make of an NDJSON record. Values are moved as text, so that a number keeps its spelling; a record
 * that needs no change is returned as it is, to the byte. Whatever comes out is checked like any record.
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

/** A record in the making: the JSON text of each field and of each property, in order. */
interface Draft {
  readonly fields: Map<string, string>;
  readonly properties: Map<string, string>;
  changed: boolean;
}

/** The new text, and the errors of values that could not be made what the flags ask for. */
function reshape(
  text: string,
  mapping: Mapping,
): { text: string; errors: ValidationError[] } | ValidationError {
  const draft: Draft = { fields: new Map(), properties: new Map(), changed: false };
  for (const member of membersOf(text)) {
    const fault = place(text, member, mapping, draft);
    if (fault) return fault;
  }
  const errors = [convert(draft, mapping), constants(draft, mapping)].filter((fault) => fault !== null);
  return { text: draft.changed ? written(draft, FREE_PART[mapping.kind]) : text, errors };
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
    const fault = put(draft.properties, inner.name, value, `${freePart}.${inner.name}`);
    if (fault) return fault;
  }
  // Kept even when it is empty: the record had it.
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

/** `--set` gives every record the same value, also one that has its own. */
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

function written(draft: Draft, freePart: string): string {
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
