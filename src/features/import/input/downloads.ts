/** Where the content of addresses is, by their names, and a name that says of which type each is. */
export type Downloads = ReadonlyMap<string, { readonly path: string; readonly typeName: string }>;

/** Names of files that say what they hold. */
const KNOWN = /\.(ndjson|jsonl|ldjson|json|csv|tsv|psv|txt|log|parquet|zip)(\.(gz|gzip|zst|zstd))?$/i;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/x-jsonlines': 'ndjson',
};

/** The name of a file of the web that says of which type it is: its own, or else with the extension of its Content-Type. */
export function typeName(file: string, contentType: string): string {
  const extension = EXTENSIONS[contentType];
  return KNOWN.test(file) || extension === undefined ? file : `${file}.${extension}`;
}
