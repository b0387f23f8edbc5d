/** An input that cannot be read as asked. `hint` is the next step to take. */
export class InputError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InputError';
    this.hint = hint;
  }
}
