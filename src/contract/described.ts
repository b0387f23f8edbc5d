import * as z from 'zod/mini';

/** Adds a description to a schema, which its JSON schema then contains. */
export function described<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), description });
  return schema;
}
