/** The type of the values of a column. */
export type CellType = 'string' | 'number' | 'boolean';

/** The types of columns, by their names in the header. */
export type ColumnTypes = ReadonlyMap<string, CellType>;
