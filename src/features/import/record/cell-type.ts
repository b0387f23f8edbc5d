/** The type of the values of a column. */
export type CellType = 'string' | 'number' | 'boolean';

/** The types of columns, by their names in the header. */
export type ColumnTypes = ReadonlyMap<string, CellType>;

/**
 * What `--type` names: a type of JSON, or an amount, which is sent as a number. The amounts of a column may have the unit
 * after the colon, a currency or %, and no other: a number would not say which it was.
 */
export type GivenType = CellType | 'amount' | `amount:${string}`;

/** The form of such a name. */
export const GIVEN_TYPE = /^(string|number|boolean|amount(:\S{1,8})?)$/u;

export const isGivenType = (type: string): type is GivenType => GIVEN_TYPE.test(type);
