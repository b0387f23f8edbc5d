import type { Input } from '../formats/open.ts';
import type { RecordSource } from '../formats/record-source.ts';

/** An input that is being read. */
export interface Feed {
  readonly input: Input;
  readonly records: RecordSource;
  /** Offset of the first byte. */
  readonly start: number;
  /** When a pipe was sampled, in Unix milliseconds: its first records wait since then. */
  readonly since: number | undefined;
  /** Converts an offset in the decompressed input to the number of bytes read from the file. */
  taken(offset: number): number;
  /** The number of lines before `start`; counted on the first call. */
  linesBefore(): Promise<number>;
  close(): Promise<void>;
}
