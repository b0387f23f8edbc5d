/** Describes the decompressed content of an input, so that a longer version of it can be recognized. */
export interface Content {
  /** The file of a folder, pattern or archive; left out where the user named it. */
  readonly name?: string | undefined;
  /** Bytes that were read. */
  readonly length: number;
  /** It was read to its end. */
  readonly whole: boolean;
  /** The last line ends with a line feed. */
  readonly ended: boolean;
  /**
   * Hex SHA-256 of the first bytes, at offsets that double and at the full length, so that different content is
   * detected early.
   */
  readonly marks: readonly (readonly [offset: number, sha256: string])[];
}

/** The content of each input when the import last finished; null if unknown. */
export type Contents = readonly (Content | null)[];
