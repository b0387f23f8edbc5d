/** Selects the offset of the test clock as `value`, in ms; no row where the store has none. */
export const OFFSET = "SELECT value FROM setting WHERE name = 'clock_offset'";
