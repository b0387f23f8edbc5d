/** Answers of which percentiles mean something; those of fewer are of a few chances. */
export const ENOUGH = 20;

/** True where the times of so many answers are known. */
export const isMeasured = ({ latency }: { readonly latency: { readonly answers: number } | null }): boolean =>
  (latency?.answers ?? 0) >= ENOUGH;
