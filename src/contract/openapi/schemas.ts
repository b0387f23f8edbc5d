import * as z from 'zod/mini';
import { annotations } from '../parts.ts';

export type Json = Record<string, unknown>;

/** Collects the named schemas of an OpenAPI document, which refers to them. */
export class Schemas {
  readonly #named: Record<string, Json> = {};

  /** Returns the JSON schema of a schema: a reference if it has a name. Answers are open to fields that are not known. */
  of(schema: z.ZodMiniType): Json {
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ schema }), {
      // Without defaults and transformations, input differs only in that it allows further fields.
      io: 'input',
      metadata: annotations,
      unrepresentable: 'any',
    }) as unknown as { $defs?: Record<string, Json>; properties: { schema: Json } };
    for (const [name, definition] of Object.entries($defs)) this.add(name, renamed(definition) as Json);
    return renamed(properties.schema) as Json;
  }

  /** Adds a named schema and returns a reference to it. */
  add(name: string, schema: Json): Json {
    this.#named[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The named schemas in alphabetical order. */
  all(): Json {
    return Object.fromEntries(Object.entries(this.#named).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Moves references to the place of named schemas in an OpenAPI document; removes the names that zod adds. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' || typeof (value as Json).id !== 'string')
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? inner.replace('#/$defs/', '#/components/schemas/')
          : renamed(inner),
      ]),
  );
}
