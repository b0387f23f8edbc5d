import { escapeJson, sanitize } from '../../../cli/terminal/sanitize.ts';
import { type ExportKind, type ExportType, exportFields } from '../../../contract/export.ts';
import type { Page } from './source.ts';

type Value = string | number | null;

/** Returns the records of a page as NDJSON: `{"type", "workspace", …}`. JSON is spelled as it is stored. */
export function ndjsonOf(type: ExportType, workspace: string, { columns, rows }: Page): string {
  const start = `{"type":"${type}","workspace":${JSON.stringify(workspace)}`;
  const fields = exportFields(type).map(([name, [kind, sparse]]) => ({
    before: `,"${name}":`,
    kind,
    sparse,
    values: columns[name]!,
  }));
  let text = '';
  for (let i = 0; i < rows; i++) {
    text += start;
    for (const { before, kind, sparse, values } of fields)
      if (values[i] !== null || !sparse) text += before + jsonOf(values[i]!, kind);
    text += '}\n';
  }
  return escapeJson(text);
}

function jsonOf(value: Value, kind: ExportKind): string {
  if (value === null) return 'null';
  if (kind === 'json') return String(value).replace(/[\r\n]+/g, ' ');
  if (kind === 'time') return `"${new Date(Number(value)).toISOString()}"`;
  return JSON.stringify(value);
}

/** Returns the line of NDJSON that says what was removed by age, after the records of a log. */
export const removalLine = (of: string, workspace: string, before: number): string =>
  `${JSON.stringify({ type: 'removal', workspace, of, removedBefore: new Date(before).toISOString() })}\n`;

/** Returns the header of a CSV. */
export const csvHeader = (type: ExportType): string =>
  `workspace,${exportFields(type)
    .map(([name]) => name)
    .join(',')}\n`;

/**
 * Returns the records of a page as CSV (RFC 4180, with line feeds). Null is an empty cell, empty text is `""`.
 * `onTerminal`: control characters are made visible.
 */
export function csvOf(
  type: ExportType,
  workspace: string,
  { columns, rows }: Page,
  onTerminal: boolean,
): string {
  const fields = exportFields(type).map(([name, [kind]]) => ({ kind, values: columns[name]! }));
  let text = '';
  for (let i = 0; i < rows; i++) {
    text += cellOf(workspace, 'text');
    for (const { kind, values } of fields) text += `,${cellOf(values[i]!, kind)}`;
    text += '\n';
  }
  return onTerminal ? sanitize(text) : text;
}

function cellOf(value: Value, kind: ExportKind): string {
  if (value === null) return '';
  if (kind === 'time') return new Date(Number(value)).toISOString();
  const text = String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
