/** What the commands about catalogs print under `--json`. */
import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import * as s from '../contract/schemas.ts';
import { flag, text, whole } from './fields.ts';

export const CatalogOutput = z.union([s.GetCatalogAnswer, s.CatalogVersionAnswer]);

/** A plan of events, its types, or what was counted against the one in force. */
export const EventsPlanOutput = z.union([
  z.object({
    events: about('The section `events` of a catalog (docs/catalog.md).', z.record(z.string(), z.unknown())),
  }),
  z.object({ types: text('TypeScript.') }),
  s.EventPlanAnswer,
]);

export const CatalogDiffOutput = z.object({
  version: whole('The version that the file is compared with.'),
  same: flag('True if there is no difference.'),
  changes: about(
    'The differences.',
    z.array(
      z.object({
        path: text('Where, such as `contents.spring_offer.title`.'),
        change: about(
          'What putting the file would do.',
          z.enum(['added', 'removed', 'changed', 'reordered']),
        ),
        before: z.optional(about('The value in the service.', z.unknown())),
        after: z.optional(about('The value in the file.', z.unknown())),
      }),
    ),
  ),
});
