/** Flags with which the command would work: `more` replaces the flags named in `without`. */
export interface BetterFlags {
  readonly without: readonly string[];
  readonly more: readonly string[];
}

/** A command that makes something that can be imported in place of an input. */
export interface Preparation {
  /** For a shell, already quoted. */
  readonly by: string;
  /** The input, as the user named it. */
  readonly name: string;
  /** What it makes; `-` if it prints it. */
  readonly makes: string;
  /** Flags with which that can be imported as events at once. */
  readonly flags?: readonly string[];
}

/** An input cannot be read as requested. `hint` is the suggested next step. */
export class InputError extends Error {
  readonly hint: string;
  /** The other flags, if the next step is the same command with other flags. */
  readonly flags: BetterFlags | undefined;
  /** An addition to the next step. */
  readonly note: string | undefined;
  /** What has to be done before the same command, if that is the next step. */
  readonly prepare: Preparation | undefined;

  constructor(
    message: string,
    hint: string,
    {
      flags,
      note,
      prepare,
      ...options
    }: ErrorOptions & {
      flags?: BetterFlags;
      note?: string | undefined;
      prepare?: Preparation | undefined;
    } = {},
  ) {
    super(message, options);
    this.name = 'InputError';
    this.hint = hint;
    this.flags = flags;
    this.note = note;
    this.prepare = prepare;
  }
}
