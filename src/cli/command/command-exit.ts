/** Tells oclif the exit code of a command that did not succeed. The failure itself is already on stderr. */
export class CommandExit extends Error {
  /** The fields by which oclif's error handler recognizes an exit that it must not print. */
  readonly code = 'EEXIT';
  readonly skipOclifErrorHandling = true;
  readonly oclif: { readonly exit: number };

  constructor(exit: number) {
    super(`EEXIT: ${exit}`);
    this.name = 'CommandExit';
    this.oclif = { exit };
  }
}
