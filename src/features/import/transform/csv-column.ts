import type { CellType } from './mapping.ts';

/** What a column of a table becomes. */
export type Column =
  | {
      readonly to: 'field';
      readonly name: string;
      /** The name in JSON, after a comma. */
      readonly prefix: string;
      readonly isTime: boolean;
    }
  | {
      readonly to: 'property';
      readonly name: string;
      readonly prefix: string;
      readonly type: CellType | undefined;
      /** The type that the sample gave the column, by its name in the header. */
      readonly decided: { readonly type: CellType; readonly name: string } | undefined;
    }
  | { readonly to: 'free' }
  | { readonly to: 'nothing' };

export const NOTHING: Column = { to: 'nothing' };
