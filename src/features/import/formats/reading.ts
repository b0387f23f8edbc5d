/** `--quote`: what encloses cells. */
export const QUOTES = ['double', 'single', 'none'] as const;
export type Quote = (typeof QUOTES)[number];

/** `rejects` is a rejects file, whose records are those of other inputs. */
export type Format = 'ndjson' | 'csv' | 'json' | 'parquet' | 'rejects';

/** How the user says that inputs are to be read; what is undefined is found in the input. */
export interface Reading {
  readonly format?: Format | undefined;
  /** `--records`: the names that lead to the array of records in JSON. */
  readonly records?: readonly string[] | undefined;
  /** `--columns`: the names of the columns of a CSV without a header. */
  readonly columns?: readonly string[] | undefined;
  /** `--encoding`, as `TextDecoder` names it. */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  /** `--quote`: what encloses cells; undefined: double quotes, as in RFC 4180, unless the table shows others. */
  readonly quote?: Quote | undefined;
}

/** How the rows of a table differ from RFC 4180. */
export interface RowForm {
  readonly header?: readonly string[] | undefined;
  /** They end in a delimiter that the header lacks. */
  readonly trailing?: boolean | undefined;
  /** A dash stands for an empty cell, as in logs of the W3C format. */
  readonly dashes?: boolean | undefined;
}
