/**
 * The mapping file of `--mapping` and `inspect --save`, and of the sources that ship with svc: the flags that read and map
 * records. The JSON schema in `docs/mapping.schema.json` is generated from this schema.
 */
import * as z from 'zod/mini';
import { described } from '../../../contract/described.ts';
import { QUOTES } from '../formats/reading.ts';
import { GIVEN_TYPE } from '../record/cell-type.ts';

const name = () => z.string().check(z.minLength(1), z.maxLength(1000));
const text = () => z.string().check(z.maxLength(1000));
const names = () => z.array(name()).check(z.minLength(1), z.maxLength(10_000));
const texts = () => z.union([text(), z.array(text()).check(z.minLength(1), z.maxLength(1000))]);

/** The version of the format of mapping files. */
export const VERSION = 1;

export const MappingDocument = z.strictObject({
  $schema: z.optional(z.string().check(z.maxLength(2048))),
  version: described(z.literal(VERSION), 'The version of this format.'),
  title: z.optional(described(text(), 'What the mapping is for.')),
  documentation: z.optional(described(texts(), 'Addresses of pages that describe the format of the input.')),
  format: z.optional(described(name(), 'As --format.')),
  records: z.optional(described(name(), 'As --records: the path of the array of records.')),
  columns: z.optional(
    described(
      z.array(text()).check(z.minLength(1), z.maxLength(10_000)),
      'As --columns: the names of the columns of a table without a header; an empty name leaves a column out.',
    ),
  ),
  encoding: z.optional(described(name(), 'As --encoding.')),
  delimiter: z.optional(described(name(), 'As --delimiter.')),
  quote: z.optional(described(z.enum(QUOTES), 'As --quote.')),
  map: z.optional(
    described(
      z.record(name(), texts()),
      'As --map: for each field or property the column or path it is read from; several are alternatives, and a+b is a sum.',
    ),
  ),
  set: z.optional(described(z.record(name(), text()), 'As --set: constants.')),
  type: z.optional(
    described(z.record(name(), z.string().check(z.regex(GIVEN_TYPE))), 'As --type: the types of columns.'),
  ),
  convertTimestamps: z.optional(described(z.boolean(), 'As --convert-timestamps.')),
  timestampFormat: z.optional(described(name(), 'As --timestamp-format.')),
  timeZone: z.optional(described(name(), 'As --time-zone.')),
  extraFields: z.optional(described(z.enum(['reject', 'properties', 'drop']), 'As --extra-fields.')),
  nested: z.optional(described(z.enum(['reject', 'flatten', 'drop', 'json']), 'As --nested.')),
  nulls: z.optional(described(z.enum(['reject', 'drop']), 'As --nulls.')),
  null: z.optional(described(texts(), 'As --null: texts that stand for an empty cell.')),
  decimalComma: z.optional(described(z.boolean(), 'As --decimal-comma.')),
  thousands: z.optional(described(z.enum([',', '.', 'space', 'apostrophe']), 'As --thousands.')),
  drop: z.optional(described(names(), 'As --drop: columns, paths or properties.')),
  where: z.optional(described(z.record(name(), texts()), 'As --where: the accepted values of each field.')),
  validate: z.optional(described(z.boolean(), 'false is --no-validate.')),
});
export type MappingDocument = z.infer<typeof MappingDocument>;

/** The JSON schema (draft 2020-12) of a mapping file, as published. */
export function mappingJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(MappingDocument, { io: 'input' });
  return { $schema, $id: 'mapping.schema.json', title: 'Mapping of svc events import', ...rest };
}
