import { InputError } from '../input/input-error.ts';

/** Text that is not UTF-8. The next step names its encoding, or those that are likely (see encodingStep). */
export class NotUtf8 extends InputError {
  /** What is not UTF-8. */
  readonly bytes: Uint8Array;

  constructor(message: string, hint: string, bytes: Uint8Array) {
    super(message, hint);
    this.bytes = bytes;
  }
}
