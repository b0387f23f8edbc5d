import * as z from 'zod/mini';
import { EXPORT_PAGE, REMOTE_EXPORTS } from '../export.ts';
import { about, bounded, instant, named, pageSize, time } from '../parts.ts';

/** Maximum length of a cursor of an export, in characters: identifiers and names are in it, as JSON in base64url. */
const MAX_CURSOR = 8192;

export const ExportQuery = z.strictObject({
  since: about('Only records that were stored from this time on.', z.optional(instant())),
  until: about('Only records that were stored before this time.', z.optional(instant())),
  after: about('The `next` of the previous page.', z.optional(bounded(1, MAX_CURSOR))),
  limit: about(
    `Maximum number of records on the page, from 1 to ${EXPORT_PAGE}. A page may be shorter.`,
    z.optional(pageSize(EXPORT_PAGE)),
  ),
});

export const ExportAnswer = named(
  'ExportAnswer',
  'A page of exported records, as columns.',
  z.object({
    type: about(
      'What the records are.',
      z.enum(Object.keys(REMOTE_EXPORTS) as [keyof typeof REMOTE_EXPORTS]),
    ),
    rows: about('Number of records; a page with none may have a next one.', z.number()),
    columns: about(
      'The values of each field, one for each record, null where a record has none. JSON is a text, as it was sent; times are in ISO 8601.',
      z.record(z.string(), z.array(z.union([z.string(), z.number(), z.null()]))),
    ),
    next: about('The value of `after` for the next page; null on the last page.', z.nullable(z.string())),
    removedBefore: z.optional(
      time(
        'Records from before this time were removed by age, and the span begins before it. On the last page.',
      ),
    ),
  }),
);
