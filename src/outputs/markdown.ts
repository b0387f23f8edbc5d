import { outputSchemas } from './json-schemas.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-each-line'?: boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Generates docs/reference/output.md: every field that a command prints under `--json`. */
export function outputPage(): string {
  const parts = Object.entries(outputSchemas()).map(([file, schema]) => commandPart(file, schema as Schema));
  return [
    '# Fields of `--json`',
    '<!-- Made by `npm run generate`. -->',
    'What each command prints under `--json`: a path for each field, `[]` for the elements of an array, `*` for any name. A field marked `?` may be missing. Answers of the service are printed as they come, so another service may add or leave out fields. The same as JSON Schemas: [schemas of `--json`](../compatibility.md#schemas-of---json). `--fields` selects among those of a list.',
    ...parts,
  ].join('\n\n');
}

function commandPart(file: string, schema: Schema): string {
  const rows = new Map<string, readonly string[]>();
  collect(schema, '', schema.$defs ?? {}, rows, new Set());
  const head = `## ${schema.title ?? file}\n\n${schema.description ?? ''}${schema['x-each-line'] ? ' One document a line.' : ''}`;
  if (rows.size === 0) return head;
  const table = [...rows].map(([path, [type, meaning]]) => `| \`${path}\` | ${type} | ${meaning} |`);
  return [`${head}\n`, '| Field | Type | Meaning |', '|---|---|---|', ...table].join('\n');
}

/** Adds a row for each field below a schema. A field that several alternatives have is listed once. */
function collect(
  schema: Schema,
  path: string,
  defs: Readonly<Record<string, Schema>>,
  rows: Map<string, readonly string[]>,
  open: ReadonlySet<Schema>,
): void {
  const resolved = resolve(schema, defs);
  // A schema that contains itself is described once.
  if (open.has(resolved)) return;
  const within = new Set(open).add(resolved);
  const dotted = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const [name, field] of Object.entries(resolved.properties ?? {})) {
    const target = resolve(field, defs);
    const optional = resolved.required?.includes(name) ? '' : '?';
    const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
    const meaning = field.description ?? target.description ?? '';
    if (!rows.has(dotted(name)) && !rows.has(`${dotted(name)}?`))
      rows.set(dotted(name) + optional, [cell(typeOf(field, defs)), cell(meaning)]);
    collect(field, dotted(name), defs, rows, within);
  }
  if (resolved.items) collect(resolved.items, `${path}[]`, defs, rows, within);
  if (typeof resolved.additionalProperties === 'object')
    collect(resolved.additionalProperties, dotted('*'), defs, rows, within);
  for (const one of [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])])
    collect(one, path, defs, rows, within);
}

function resolve(schema: Schema, defs: Readonly<Record<string, Schema>>): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...(defs[name] ?? {}), ...schema };
}

function typeOf(schema: Schema, defs: Readonly<Record<string, Schema>>): string {
  const { type, enum: choices, anyOf, oneOf, items, ...rest } = resolve(schema, defs);
  if (rest.const !== undefined) return JSON.stringify(rest.const);
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(', ');
  const either = anyOf ?? oneOf;
  if (either) return [...new Set(either.map((one) => typeOf(one, defs)))].join(' or ');
  if (items) return `array of ${typeOf(items, defs)}`;
  return [type ?? 'any'].flat().join(' or ');
}
