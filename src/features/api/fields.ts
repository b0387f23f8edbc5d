import { SvcError } from '../../cli/errors/svc-error.ts';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A `name=value` pair from the command line. A `typed` value may be a number, a boolean, null or `@FILE`. */
export interface Field {
  readonly text: string;
  readonly typed: boolean;
}

/**
 * Builds an object from fields, like `gh api`: `a[b]=1` nests, `a[]=1` appends. `read` returns the content of `@FILE`.
 * Throws usage.
 */
export function objectOf(fields: readonly Field[], read: (file: string) => string): { [name: string]: Json } {
  const root: { [name: string]: Json } = Object.create(null);
  for (const { text, typed } of fields) {
    const { path, value } = split(text);
    setField(root, path, typed ? typedValue(value, read) : value, text);
  }
  return root;
}

/** The names of the files that `objectOf` reads. */
export function filesOf(fields: readonly Field[]): string[] {
  const values = fields.filter(({ typed }) => typed).map(({ text }) => text.slice(text.indexOf('=') + 1));
  return [...new Set(values.filter((value) => value.startsWith('@')).map((value) => value.slice(1)))];
}

/** The fields as name-value pairs of a query string. Throws usage. */
export function queryOf(fields: readonly Field[]): [string, string][] {
  return fields.map(({ text }) => {
    const at = text.indexOf('=');
    if (at < 1) throw invalidField(text);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

function split(text: string): { path: string[]; value: string } {
  const match = /^([^=[\]]+)((?:\[[^=[\]]*\])*)=([\s\S]*)$/.exec(text);
  if (!match) throw invalidField(text);
  const nested = [...match[2]!.matchAll(/\[([^\]]*)\]/g)].map(([, name]) => name!);
  return { path: [match[1]!, ...nested], value: match[3]! };
}

function setField(root: { [name: string]: Json }, path: readonly string[], value: Json, text: string): void {
  let target: { [name: string]: Json } | Json[] = root;
  path.forEach((name, index) => {
    const last = index === path.length - 1;
    const child = (): Json => (last ? value : path[index + 1] === '' ? [] : Object.create(null));
    if (Array.isArray(target)) {
      if (name !== '') throw conflictingField(text);
      const added = child();
      target.push(added);
      target = added as Json[];
      return;
    }
    if (name === '') throw conflictingField(text);
    if (last || !(name in target)) target[name] = child();
    const next: Json = target[name]!;
    if (!last && (typeof next !== 'object' || next === null)) throw conflictingField(text);
    target = next as Json[];
  });
}

function typedValue(value: string, read: (file: string) => string): Json {
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (value === 'null') return null;
  if (/^-?\d+(\.\d+)?$/.test(value) && String(Number(value)) === value) return Number(value);
  return value.startsWith('@') ? read(value.slice(1)) : value;
}

function invalidField(text: string): SvcError {
  return new SvcError('usage', `${JSON.stringify(text)} is not a name=value field`, {
    hint: 'write fields as -f name=text, -F name=5, -f context[channel]=in-app or -F list[]=1',
  });
}

function conflictingField(text: string): SvcError {
  return new SvcError('usage', `${JSON.stringify(text)} conflicts with an earlier field`, {
    hint: 'give each name either a value, a list or an object, or send a file with --input',
  });
}
