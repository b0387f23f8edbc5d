import { ServiceError } from '../../contract/errors.ts';
import {
  EXPORT_PAGE,
  EXPORT_PAGE_BYTES,
  type ExportColumn,
  type ExportType,
  exportFields,
  REMOTE_EXPORTS,
} from '../../contract/export.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { type Cursor, readExportPage } from './read-page.ts';
import { SOURCES } from './sources.ts';

export const exportEndpoints: Endpoints = {
  exportRecords: {
    priority: 'page',
    handle: async ({ tx, workspace, params, query }) => {
      const type = Object.entries(REMOTE_EXPORTS).find(([name]) => name === params.type)?.[1];
      if (type === undefined)
        throw new ServiceError(
          'not_found',
          `No such type is exported: name one of ${Object.keys(REMOTE_EXPORTS).join(', ')}.`,
        );
      const span = { since: timeIn(query.since), until: timeIn(query.until) };
      const cursor = query.after === undefined ? undefined : readCursor(query.after, type);
      const rows = query.limit === undefined ? EXPORT_PAGE : Number(query.limit);
      const size = { rows, bytes: EXPORT_PAGE_BYTES };
      const page = await readExportPage(tx, workspace.id, type, span, cursor, size);
      return {
        body: {
          type: params.type,
          rows: page.rows,
          columns: Object.fromEntries(
            exportFields(type).map(([name, [kind]]) => [
              name,
              kind === 'time' ? page.columns[name]!.map(isoOf) : page.columns[name]!,
            ]),
          ),
          next: page.next ? cursorText(page.next) : null,
          ...(page.removedBefore === undefined ? {} : { removedBefore: isoOf(page.removedBefore) }),
        },
      };
    },
  },
};

const timeIn = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

const isoOf = (ms: ExportColumn[number]) => (ms === null ? null : new Date(Number(ms)).toISOString());

/** The `after` of the next page: opaque, and checked when it comes back. */
const cursorText = ({ after, last }: Cursor) =>
  Buffer.from(JSON.stringify([last ?? null, ...after])).toString('base64url');

/** Throws invalid_request for a text that no page gave. */
function readCursor(text: string, type: ExportType): Cursor {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw notACursor();
  }
  const { key, order } = SOURCES[type];
  if (!Array.isArray(value) || value.length !== key.length + 1) throw notACursor();
  const [last, ...after] = value as unknown[];
  const isNumber = (part: unknown) => typeof part === 'number' && Number.isSafeInteger(part);
  const isText = (part: unknown) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0');
  const valid =
    (last === null || (order === 'number' && isNumber(last))) &&
    after.every((part, i) => (i === 0 && order !== 'id' ? isNumber(part) : isText(part)));
  if (!valid) throw notACursor();
  return { after: after as Cursor['after'], last: (last as number | null) ?? undefined };
}

const notACursor = () =>
  new ServiceError('invalid_request', undefined, [
    { field: 'after', message: 'must be the `next` of the previous page' },
  ]);
