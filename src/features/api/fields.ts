import { SvcError } from '../../cli/errors/svc-error.ts';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A `name=value` of the command line; `typed` ones may be numbers, booleans, null or the content of a file. */
export interface Field {
  readonly text: string;
  readonly typed: boolean;
}

/**
 * Builds an object from fields, after `gh api`: `a[b]=1` nests, `a[]=1` appends. `read` gives the content of `@FILE`.
 * Throws usage.
 */
export function objectOf(fields: readonly Field[], read: (file: string) => string): { [name: string]: Json } {
  const root: { [name: string]: Json } = Object.create(null);
  for (const { text, typed } of fields) {
    const { path, value } = split(text);
    put(root, path, typed ? typedValue(value, read) : value, text);
  }
  return root;
}

/** The files whose content `objectOf` asks for. */
export function filesOf(fields: readonly Field[]): string[] {
  const values = fields.filter(({ typed }) => typed).map(({ text }) => text.slice(text.indexOf('=') + 1));
  return [...new Set(values.filter((value) => value.startsWith('@')).map((value) => value.slice(1)))];
}

/** The fields as pairs of a query string. Throws usage. */
export function queryOf(fields: readonly Field[]): [string, string][] {
  return fields.map(({ text }) => {
    const at = text.indexOf('=');
    if (at < 1) throw notAField(text);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

function split(text: string): { path: string[]; value: string } {
  const match = /^([^=[\]]+)((?:\[[^=[\]]*\])*)=([\s\S]*)$/.exec(text);
  if (!match) throw notAField(text);
  const nested = [...match[2]!.matchAll(/\[([^\]]*)\]/g)].map(([, name]) => name!);
  return { path: [match[1]!, ...nested], value: match[3]! };
}

function put(root: { [name: string]: Json }, path: readonly string[], value: Json, text: string): void {
  let place: { [name: string]: Json } | Json[] = root;
  path.forEach((name, index) => {
    const last = index === path.length - 1;
    const below = (): Json => (last ? value : path[index + 1] === '' ? [] : Object.create(null));
    if (Array.isArray(place)) {
      if (name !== '') throw clash(text);
      const added = below();
      place.push(added);
      place = added as Json[];
      return;
    }
    if (name === '') throw clash(text);
    if (last || !(name in place)) place[name] = below();
    const next: Json = place[name]!;
    if (!last && (typeof next !== 'object' || next === null)) throw clash(text);
    place = next as Json[];
  });
}

function typedValue(value: string, read: (file: string) => string): Json {
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (value === 'null') return null;
  if (/^-?\d+(\.\d+)?$/.test(value) && String(Number(value)) === value) return Number(value);
  return value.startsWith('@') ? read(value.slice(1)) : value;
}

function notAField(text: string): SvcError {
  return new SvcError('usage', `${JSON.stringify(text)} is not of the form name=value`, {
    hint: 'give fields as -f name=text, -F name=5, -f context[channel]=in-app or -F list[]=1',
  });
}

function clash(text: string): SvcError {
  return new SvcError('usage', `${JSON.stringify(text)} does not fit the fields before it`, {
    hint: 'a name holds a value, a list or an object, not two of them; use --input for more',
  });
}
