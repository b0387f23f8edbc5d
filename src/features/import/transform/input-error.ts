/** Flags by which the command would do: instead of those it has of some names. */
export interface BetterFlags {
  readonly without: readonly string[];
  readonly more: readonly string[];
}

/** An input that cannot be read as asked. `hint` is the next step to take. */
export class InputError extends Error {
  readonly hint: string;
  /** Where the next step is the same command with other flags: those. */
  readonly flags: BetterFlags | undefined;
  /** What may be needed beside the next step. */
  readonly note: string | undefined;

  constructor(
    message: string,
    hint: string,
    { flags, note, ...options }: ErrorOptions & { flags?: BetterFlags; note?: string | undefined } = {},
  ) {
    super(message, options);
    this.name = 'InputError';
    this.hint = hint;
    this.flags = flags;
    this.note = note;
  }
}
