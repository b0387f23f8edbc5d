import * as z from 'zod/mini';
import { annotations } from '../contract/parts.ts';
import { OUTPUTS } from './outputs.ts';

type Json = Record<string, unknown>;

/** The path of a command's schema in docs/schemas: `events/import.schema.json`. */
export const schemaFile = (id: string): string => `${id.replaceAll(':', '/')}.schema.json`;

/** How to get the outputs that no command has by its name. */
const TITLES: Readonly<Record<string, string>> = { error: 'svc COMMAND', version: 'svc --version' };

/** The JSON schemas of all outputs, by their file. A field that is not described may be added at any time. */
export function outputSchemas(): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(OUTPUTS).map(([id, { description, schema, lines }]) => {
      const {
        $schema,
        id: _,
        ...rest
      } = z.toJSONSchema(schema, {
        io: 'input',
        metadata: annotations,
        unrepresentable: 'any',
      }) as Json;
      const title = `${TITLES[id] ?? `svc ${id.replaceAll(':', ' ')}`} --json`;
      const file = { $schema, title, ...rest, description, ...(lines ? { 'x-each-line': true } : {}) };
      return [schemaFile(id), file];
    }),
  );
}
