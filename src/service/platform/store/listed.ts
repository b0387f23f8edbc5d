import type { Dialect, SqlValue } from './store.ts';
import { textArray } from './text-array.ts';

/**
 * The condition that a text column has one of `values`, and its only parameter. Its text does not depend on how many they
 * are: a list of placeholders would be another prepared statement for each length (postgres/statements.ts).
 */
export function listed(
  dialect: Pick<Dialect, 'name'>,
  column: string,
  values: readonly string[],
): { readonly text: string; readonly param: SqlValue } {
  return dialect.name === 'postgres'
    ? { text: `${column} = ANY((?)::text[])`, param: textArray(values) }
    : { text: `${column} IN (SELECT value FROM json_each(?))`, param: JSON.stringify(values) };
}

/** The same of a column of integers. */
export const listedNumbers = (
  dialect: Pick<Dialect, 'name'>,
  column: string,
  values: readonly number[],
): { readonly text: string; readonly param: SqlValue } =>
  dialect.name === 'postgres'
    ? { text: `${column} = ANY((?)::bigint[])`, param: `{${values.join(',')}}` }
    : { text: `${column} IN (SELECT value FROM json_each(?))`, param: JSON.stringify(values) };
