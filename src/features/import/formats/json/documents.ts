import { shell, shellPath } from '../../../../kit/shell.ts';
import { InputError } from '../../input/input-error.ts';

/** The signals of OpenTelemetry, and the path from the array of a document to its records. */
const SIGNALS: Readonly<Record<string, readonly [what: string, path: string]>> = {
  resourceLogs: ['log records', '.scopeLogs[].logRecords[]'],
  resourceSpans: ['spans', '.scopeSpans[].spans[]'],
  resourceMetrics: ['metrics', '.scopeMetrics[].metrics[]'],
};
/** Makes an object of attributes, and a plain value of one. */
const FIELDS =
  'def value: def fields: map({(.key): (.value | value)}) | add; if has("arrayValue") then [.arrayValue.values[]? | value] ' +
  'elif has("kvlistValue") then (.kvlistValue.values | fields) else first(.[]) end; ' +
  'def fields: map({(.key): (.value | value)}) | add;';
/** Makes one object of each row of a table that is written by columns. */
const BY_ROWS =
  'to_entries as $columns | ($columns[0].value | keys_unsorted[]) as $row | reduce $columns[] as $column ({}; .[$column.key] = $column.value[$row])';

/** What Terraform writes, the member that tells it, and the filter that makes one object of each of its resources. */
const TERRAFORM: readonly (readonly [what: string, member: RegExp, filter: string])[] = [
  [
    'is a plan of Terraform, whose changes have no times',
    /"(planned_values|resource_changes)"\s*:/,
    '.resource_changes[] | {address, type, actions: .change.actions}',
  ],
  [
    'is a state of Terraform, whose resources have no times',
    /"values"\s*:\s*\{\s*("outputs"|"root_module")\s*:/,
    '.values | recurse((.root_module, .child_modules[]?) // empty) | .resources[]? | {address, type} + .values',
  ],
  [
    'is a state of Terraform, whose resources have no times',
    /"(lineage|serial)"\s*:/,
    '.resources[] | {type, name} as $resource | .instances[] | $resource + .attributes',
  ],
];

/**
 * Throws an InputError for a JSON document whose records are told only by what it is: of OpenTelemetry, of Terraform, and a
 * table by columns as pandas writes it. `head` starts with a brace. `print`: the command that prints the text, if it is not in the
 * file as it is.
 */
export function refuseDocument(name: string, head: Buffer, print: string | undefined): void {
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  const [, signal = ''] = /^\s*\{\s*"(\w+)"\s*:\s*\[/.exec(text) ?? [];
  const found = Object.hasOwn(SIGNALS, signal) ? SIGNALS[signal] : undefined;
  if (found)
    throw document(
      name,
      `holds ${found[0]} of OpenTelemetry inside ${signal}`,
      recordsOf(signal, found[1]),
      print,
    );
  const [what = '', , filter = ''] =
    TERRAFORM.find(([, member]) => isOfTerraform(text) && member.test(text)) ?? [];
  if (what !== '') throw document(name, what, filter, print);
  if (isByColumns(text)) throw document(name, 'is a table by columns, as pandas writes it', BY_ROWS, print);
}

/** Makes one object of each record, with its attributes as fields and its time in ms. */
function recordsOf(signal: string, path: string): string {
  return (
    `${FIELDS} ` +
    `.${signal}[] | (.resource.attributes // [] | fields) as $resource | ${path} ` +
    '| .time = (.timeUnixNano // .startTimeUnixNano // .observedTimeUnixNano | if . then tonumber / 1000000 | floor else . end) ' +
    '| .attributes |= (. // [] | fields) | .resource = $resource' +
    (signal === 'resourceLogs' ? ' | .body |= (if type == "object" then value else . end)' : '')
  );
}

/** Returns whether one document says which version of Terraform wrote it, before anything else that is an object. */
function isOfTerraform(text: string): boolean {
  return /^\s*\{[^{}[\]]*"terraform_version"\s*:/.test(text);
}

/** Returns whether all fields of one object are objects with the same numbers as names. The text may be cut short. */
function isByColumns(text: string): boolean {
  if (
    !/^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"0"\s*:[^{}[\]]*?"1"\s*:/.test(text) ||
    /\n\s*\{\s*"/.test(text.trim())
  )
    return false;
  try {
    const columns = Object.values(JSON.parse(text) as object);
    const names = columns.map((column) => JSON.stringify(Object.keys(Object(column))));
    return names.length > 1 && new Set(names).size === 1;
  } catch {
    return true;
  }
}

function document(name: string, what: string, filter: string, print: string | undefined): InputError {
  const jq = shell`jq -c ${filter}`;
  const by = print !== undefined ? `${print} | ${jq}` : name === '-' ? jq : `${jq} ${shellPath(name)}`;
  return new InputError(`${name === '-' ? 'standard input' : name} ${what}.`, by, {
    prepare: { by, name, makes: '-' },
  });
}
