/** A value that a template may use, or that an answer contains. */
export type Value = unknown;

/** The values at a path of names separated by dots, in order; `*` stands for each element of an array. */
export function valuesAt(root: Value, path: string): Value[] {
  let found: Value[] = [root];
  for (const name of path.split('.'))
    found = found.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return [];
      if (name === '*') return Array.isArray(value) ? value : [];
      return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
    });
  return found.filter((value) => value !== undefined && value !== null);
}

/** The first string, number or boolean at a path, as text; undefined if there is none or it is empty. */
export function textAt(root: Value, path: string): string | undefined {
  for (const value of valuesAt(root, path))
    if (typeof value !== 'object' && String(value) !== '') return String(value);
  return undefined;
}
