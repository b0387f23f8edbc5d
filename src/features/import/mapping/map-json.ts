import { membersOf, unquoted } from '../../../kit/json/json-members.ts';
import { jsonString } from '../../../kit/json/json-string.ts';
import { FILTERED, type RecordMapper, UNCHANGED } from '../formats/record-mappers.ts';
import { FIELDS, FREE_PART, fieldJson, isList, type RecordKind } from '../record/record-kind.ts';
import type { ValidationError } from '../record/validation-errors.ts';
import { Draft } from './draft.ts';
import { columnsOf, type MapRule, onlyColumn } from './map-rules.ts';
import { keepsRecords, type Mapping, propertyName } from './mapping.ts';
import { type Found, RecordPaths } from './record-paths.ts';
import { timeConverter } from './time-converter.ts';
import { checkRecord, madeRecord, parseObject } from './validate.ts';

/**
 * Creates the mapper of JSON records for the flags. Values are copied as text, so that numbers keep their spelling; a
 * record that needs no change is returned unchanged. The result is validated like any record.
 */
export function jsonMapper(mapping: Mapping): RecordMapper {
  const convert = timeConverter(mapping);
  if (keepsRecords(mapping) && !convert) return (text) => checkRecord(mapping, text) ?? UNCHANGED;
  const reshape = reshaper(mapping);
  return (text) => {
    const parsed = parseObject(text);
    if ('field' in parsed) return parsed;
    const draft = reshape(text);
    if (!(draft instanceof Draft)) return draft;
    const made = madeRecord(mapping, draft.changed ? draft.text() : text, draft.errors);
    return draft.changed || 'field' in made ? made : UNCHANGED;
  };
}

const SIBLING =
  'is given beside what --map reads for it; use --extra-fields properties with --nested flatten, or drop';

type Reshaper = (text: string) => Draft | ValidationError | typeof FILTERED;

/** Compiles the flags to a function that reads each member of a record once. */
function reshaper(mapping: Mapping): Reshaper {
  const { map, set, where = new Map(), drop = new Set<string>(), kind, extraFields = 'reject' } = mapping;
  const freePart = FREE_PART[kind];
  const fields = new Set(FIELDS[kind]);
  const byTarget = new Map(map.map((rule) => [rule.target, rule]));
  const taken = columnsOf(map);
  const filters = [...where].map(([field, values]) => ({ field, values, rule: byTarget.get(field) }));
  const read = filters.filter(({ rule }) => !rule).map(({ field }) => field);
  const paths = new RecordPaths(
    taken,
    read.filter((path) => !taken.includes(path)),
    drop,
  );
  const convert = timeConverter(mapping);

  function accepts(found: Found, draft: Draft): boolean {
    return filters.every(({ field, values, rule }) => {
      const value = rule ? evaluate(rule, found, draft).value : filled(paths.valueAt(field, found), draft);
      return values.has(value === undefined || value === 'null' ? '' : textOf(value));
    });
  }

  /** The value of a rule that reads several paths, and those that were used for it. */
  function evaluate(
    rule: MapRule,
    found: Found,
    draft: Draft,
  ): { value: string | undefined; used: readonly string[] } {
    for (const used of rule.sources) {
      const values = used
        .map((path) => filled(paths.valueAt(path, found), draft))
        .filter((value) => value !== undefined);
      if (values.length === 0) continue;
      return { value: used.length === 1 ? values[0] : jsonString(values.map(textOf).join(' ')), used };
    }
    return { value: undefined, used: rule.sources.flat() };
  }

  function place(name: string, value: string, draft: Draft): ValidationError | undefined {
    if (name === freePart) return draft.spread(value, freePart);
    // What a rule reads from elsewhere leaves its siblings, as event=event.verb leaves event.category.
    const isRead = byTarget.has(name) && fields.has(name);
    if (isRead && value[0] === '{' && extraFields === 'reject') return { field: name, reason: SIBLING };
    const isSibling = isRead && (value[0] === '{' || draft.fields.has(name));
    if ((fields.has(name) && !isSibling) || extraFields === 'reject') return draft.field(name, value);
    draft.changed = true;
    if (extraFields === 'drop') return undefined;
    return draft.property(propertyName(name, freePart), value, name);
  }

  function apply(
    rule: CompiledRule,
    found: Found,
    draft: Draft,
    left: [string, string][],
  ): ValidationError | undefined {
    if (rule.only !== undefined) {
      const value = paths.valueAt(rule.only, found);
      return value === undefined ? undefined : rule.write(value, rule.only, draft);
    }
    const { value, used } = evaluate(rule, found, draft);
    for (const path of rule.all) {
      const unused = used.includes(path) ? undefined : filled(paths.valueAt(path, found), draft);
      if (unused !== undefined) left.push([path, unused]);
    }
    return value === undefined ? undefined : rule.write(value, used[0]!, draft);
  }

  function compiled(rule: MapRule): CompiledRule {
    const { target } = rule;
    const property = propertyName(target, freePart);
    const write: CompiledRule['write'] =
      target === freePart
        ? (value, path, draft) => draft.spread(value, path)
        : fields.has(target)
          ? (value, _, draft) => draft.field(target, fieldText(kind, target, value))
          : (value, path, draft) => draft.property(property, value, path);
    // An empty id is none, as in a table.
    const only = target === 'eventId' ? undefined : onlyColumn(rule);
    return { ...rule, write, only, all: [...new Set(rule.sources.flat())] };
  }

  const rules = map.map(compiled);
  return (text) => {
    const draft = new Draft(mapping);
    const found = paths.nothing();
    const rest: [string, string][] = [];
    for (const { name, start, end } of membersOf(text)) {
      const value = text.slice(start, end);
      if (!paths.concerns(name)) {
        rest.push([name, value]);
        continue;
      }
      const left = paths.take(name, value, found);
      if (left !== value) draft.changed = true;
      if (left !== undefined) rest.push([name, left]);
    }
    if (found.repeated !== undefined) return { field: found.repeated, reason: 'is given twice' };
    if (filters.length > 0 && !accepts(found, draft)) return FILTERED;
    const left: [string, string][] = [];
    for (const rule of rules) {
      const error = apply(rule, found, draft, left);
      if (error) return error;
    }
    for (const [name, value] of rest) {
      const error = place(name, value, draft);
      if (error) return error;
    }
    // An alternative that was not used is a property like any other, beside one that has its name.
    for (const [path, value] of left) {
      const error = draft.property(draft.freeName(propertyName(path, freePart)), value, path);
      if (error) return error;
    }
    if (convert) convertTime(draft, convert);
    for (const [name, value] of set) draft.constant(name, value, fields.has(name));
    return draft;
  };
}

interface CompiledRule extends MapRule {
  /** The path, if there is only one, and it is read also where it is empty. */
  readonly only: string | undefined;
  readonly all: readonly string[];
  /** Adds the value that was read at a path. */
  readonly write: (value: string, path: string, draft: Draft) => ValidationError | undefined;
}

/** Returns a value unless it is empty. */
function filled(value: string | undefined, draft: Draft): string | undefined {
  const empty = value === undefined || value === 'null' || value === '""' || draft.isAbsent(value);
  return empty ? undefined : value;
}

function convertTime(draft: Draft, convert: NonNullable<ReturnType<typeof timeConverter>>): void {
  const given = draft.fields.get('timestamp');
  if (given === undefined || (given[0] !== '"' && !/^-?\d/.test(given))) return;
  const text = textOf(given);
  const converted = convert(text);
  if (!converted.ok) {
    draft.errors.push({ field: 'timestamp', reason: converted.reason });
    return;
  }
  if (converted.utc === text && given[0] === '"') return;
  draft.fields.set('timestamp', jsonString(converted.utc));
  draft.changed = true;
}

/** Returns the characters of a string, or the text of another value as it is written. */
function textOf(value: string): string {
  return value[0] === '"' ? unquoted(value) : value;
}

/** The value of a field: a text becomes a list where the field is one. */
function fieldText(kind: RecordKind, name: string, value: string): string {
  const text = asText(value);
  return isList(kind, name) && text[0] === '"' ? fieldJson(kind, name, unquoted(text)) : text;
}

/** Fields are strings: a number or a boolean that is mapped to one is read as text, as in CSV. */
function asText(value: string): string {
  const first = value.charCodeAt(0);
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  return isNumber || value === 'true' || value === 'false' ? `"${value}"` : value;
}
