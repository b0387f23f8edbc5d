import * as z from 'zod/mini';
import { about, beyond, bounded, fields, instant, named, next, pattern, time } from '../parts.ts';

/** Length of an author and of a note, in characters. */
const MAX_NOTE = 256;

const catalog = (description: string) => about(description, fields(z.unknown()));
const version = (description: string) => about(description, z.int().check(z.minimum(0), z.maximum(2 ** 40)));
const author = () =>
  about('Who makes the change, as the versions show it.', z.optional(bounded(1, MAX_NOTE)));
const note = () => about('What the change is for.', z.optional(bounded(1, MAX_NOTE)));

export const PutCatalogRequest = named(
  'PutCatalogRequest',
  'A catalog (docs/catalog.md) that replaces the one in force.',
  beyond(
    z.strictObject({
      catalog: catalog('The catalog.'),
      ifVersion: z.optional(version('The version that it is based on.')),
      author: author(),
      note: note(),
    }),
  ),
);
export const ValidateCatalogRequest = named(
  'ValidateCatalogRequest',
  'A catalog to check.',
  beyond(z.strictObject({ catalog: catalog('The catalog.') })),
);
export const RevertCatalogRequest = named(
  'RevertCatalogRequest',
  'Which version to go back to.',
  beyond(
    z.strictObject({
      to: z.optional(
        version(
          'The version, 0 for the catalog of the service; left out: the one before the version in force.',
        ),
      ),
      over: z.optional(version('The version in force, where it is that of another author.')),
      author: author(),
      note: note(),
    }),
  ),
);

const Issue = named(
  'CatalogIssue',
  'An error in a catalog.',
  z.object({
    path: about('Where, such as `contents[2].format`.', z.string()),
    message: about('What is wrong.', z.string()),
  }),
);
export const ValidateCatalogAnswer = named(
  'ValidateCatalogAnswer',
  'The result of a check.',
  beyond(
    z.object({
      valid: about('True if the catalog may be stored.', z.boolean()),
      issues: about('The errors; up to 100.', z.array(Issue)),
      warnings: about(
        'What may be stored, but hardly is meant: an `activeUntil` that is past, placeholders that do not work, and what the latest events do not have of what goals count.',
        z.optional(z.array(Issue)),
      ),
    }),
  ),
);

const stored = () => ({
  version: about('Number of the version; 0 for the catalog of the service.', z.int()),
  author: about('Who made it; null if nobody was named.', z.nullable(z.string())),
  note: about('What it was for; null if that was not said.', z.nullable(z.string())),
  createdAt: about('When it was stored; null for the built-in catalog.', z.nullable(z.string()), {
    format: 'date-time',
  }),
});
const document = () => about('The catalog (docs/catalog.md).', z.record(z.string(), z.unknown()));
export const GetCatalogAnswer = named(
  'GetCatalogAnswer',
  'The catalog in force.',
  beyond(
    z.object({
      ...stored(),
      readOnly: about('True while a file is the authority.', z.boolean()),
      reason: about('Why it is read-only, and what to do.', z.optional(z.string())),
      catalog: document(),
    }),
  ),
);
export const PutCatalogAnswer = named(
  'PutCatalogAnswer',
  'The version in force.',
  beyond(
    z.object({
      ...stored(),
      unchanged: about('True if the catalog was the same, and nothing was stored.', z.boolean()),
      warnings: about(
        'What was stored, but hardly is meant, as `POST /v1/catalog/validate` lists it.',
        z.optional(z.array(Issue)),
      ),
    }),
  ),
);
const CatalogVersion = named(
  'CatalogVersion',
  'A stored version of the catalog.',
  z.object({
    ...stored(),
    createdAt: time('When it was stored.'),
    revertOf: about('The version that it repeats; null if it is a new one.', z.nullable(z.int())),
    bytes: about('Size as JSON, in bytes.', z.int()),
  }),
);
export const ListCatalogVersionsQuery = z.strictObject({
  since: about('Only versions stored from this time on.', z.optional(instant())),
  until: about('Only versions stored before this time.', z.optional(instant())),
  after: about(
    'The `next` of the previous page.',
    z.optional(pattern(/^\d{1,12}$/, 12, 'must be the `next` of the previous page', ['7'])),
  ),
});
export const ListCatalogVersionsAnswer = named(
  'ListCatalogVersionsAnswer',
  'A page of the versions, newest first.',
  beyond(
    z.object({
      current: about('The version in force; 0 for the catalog of the service.', z.int()),
      versions: about('The versions.', z.array(CatalogVersion)),
      next: next(),
    }),
  ),
);
export const CatalogVersionAnswer = named(
  'CatalogVersionAnswer',
  'A stored version with its content.',
  beyond(z.object({ ...stored(), catalog: document() })),
);
