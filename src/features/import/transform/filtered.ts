/** A record that `--where` leaves out: it is counted, but is not a record of the import. */
export const FILTERED = { filtered: true } as const;
