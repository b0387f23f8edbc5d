/** Flags with which the command would work: `more` replaces the flags named in `without`. */
export interface BetterFlags {
  readonly without: readonly string[];
  readonly more: readonly string[];
}

/** An input cannot be read as requested. `hint` is the suggested next step. */
export class InputError extends Error {
  readonly hint: string;
  /** The other flags, if the next step is the same command with other flags. */
  readonly flags: BetterFlags | undefined;
  /** An addition to the next step. */
  readonly note: string | undefined;
  /** A command that prints the input in a form that can be imported, if that is the next step. */
  readonly through: string | undefined;

  constructor(
    message: string,
    hint: string,
    {
      flags,
      note,
      through,
      ...options
    }: ErrorOptions & { flags?: BetterFlags; note?: string | undefined; through?: string | undefined } = {},
  ) {
    super(message, options);
    this.name = 'InputError';
    this.hint = hint;
    this.flags = flags;
    this.note = note;
    this.through = through;
  }
}
