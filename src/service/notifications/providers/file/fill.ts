import { type Value, valuesAt } from './values.ts';

/** The template needs a value that there is not. */
export class MissingValue extends Error {
  readonly placeholder: string;

  constructor(placeholder: string) {
    super(`the provider needs ${placeholder}, which this notification does not have`);
    this.name = 'MissingValue';
    this.placeholder = placeholder;
  }
}

const PLACEHOLDER = /\{\{\s*([A-Za-z][\w.]*)(\?)?\s*\}\}/g;
const ONLY_PLACEHOLDER = /^\{\{\s*([A-Za-z][\w.]*)(\?)?\s*\}\}$/;
/** A member or element that is left out. */
const ABSENT = Symbol('absent');

/** The names of the placeholders in a template, without `?`. */
export function placeholdersOf(template: Value): string[] {
  if (typeof template === 'string') return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!);
  if (typeof template !== 'object' || template === null) return [];
  const own = ['$when', '$each'].flatMap((key) => {
    const name = (template as Record<string, unknown>)[key];
    return typeof name === 'string' ? [name] : [];
  });
  return [...own, ...Object.values(template).flatMap(placeholdersOf)];
}

/** Fills the placeholders of a text. Each value passes through `encode`. Throws MissingValue. */
export function fillText(
  template: string,
  values: Value,
  encode: (text: string, at: number) => string = (text) => text,
): string {
  return template.replace(PLACEHOLDER, (_, name: string, optional: string | undefined, at: number) => {
    const value = lookUp(values, name);
    if (value === undefined && !optional) throw new MissingValue(name);
    return value === undefined
      ? ''
      : encode(typeof value === 'object' ? JSON.stringify(value) : String(value), at);
  });
}

/** Fills a JSON template (`request.json` of a provider file). Throws MissingValue. */
export function fillJson(template: Value, values: Value): Value {
  const filled = fill(template, values);
  return filled === ABSENT ? null : filled;
}

function fill(template: Value, values: Value): Value | typeof ABSENT {
  if (typeof template === 'string') {
    const [, name, optional] = ONLY_PLACEHOLDER.exec(template) ?? [];
    if (name === undefined) return fillText(template, values);
    const value = lookUp(values, name);
    if (value === undefined && !optional) throw new MissingValue(name);
    return value === undefined ? ABSENT : value;
  }
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.flatMap((each) => spread(each, values));
  const { $when: when, $each: each, ...fields } = template as Record<string, unknown>;
  if (typeof each === 'string') return fillEach(each, fields.value, values);
  if (typeof when === 'string') return isPresent(lookUp(values, when)) ? fill(fields.value, values) : ABSENT;
  const object: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(fields)) {
    const value = fill(member, values);
    if (value !== ABSENT) object[key] = value;
  }
  return object;
}

function spread(template: Value, values: Value): Value[] {
  const value = fill(template, values);
  return value === ABSENT ? [] : [value];
}

function fillEach(name: string, template: Value, values: Value): Value[] {
  const items = lookUp(values, name);
  if (!Array.isArray(items)) throw new MissingValue(name);
  return items.flatMap((item) => spread(template, { ...(values as object), item }));
}

function lookUp(values: Value, name: string): Value {
  return valuesAt(values, name)[0];
}

function isPresent(value: Value): boolean {
  if (value === undefined || value === '') return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}
