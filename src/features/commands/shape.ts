export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The form of a JSON value, in short: a type (`string`, `integer|null`, `any`), one shape in an array for a list, or an
 * object whose keys may end in `?`. An object may always have further fields.
 */
export type Shape = string | readonly [Shape] | { readonly [name: string]: Shape };

/** Converts a shape to a JSON Schema (draft 2020-12). */
export function schemaOf(shape: Shape): JsonSchema {
  if (typeof shape === 'string') {
    const types = shape.split('|');
    if (shape === 'any') return {};
    return { type: types.length === 1 ? shape : types };
  }
  if (isList(shape)) return { type: 'array', items: schemaOf(shape[0]) };
  const fields = Object.entries(shape).map(([key, value]) => ({
    name: key.replace(/\?$/, ''),
    required: !key.endsWith('?'),
    schema: schemaOf(value),
  }));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function isList(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}
