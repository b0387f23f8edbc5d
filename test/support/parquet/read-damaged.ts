import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { leafColumn, nestedText } from '../../../src/features/import/formats/parquet/cells.ts';
import { ParquetFile, valueAt } from '../../../src/features/import/formats/parquet/parquet-file.ts';
import { InputError } from '../../../src/features/import/input/input-error.ts';

/** Bytes of a file that are changed one at a time: from `first`, every `step`th one, by exclusive or with `mask`. */
export interface Damage {
  readonly path: string;
  readonly first: number;
  readonly step: number;
  readonly mask: number;
}

export interface Outcome {
  readonly read: number;
  readonly refused: number;
  /** Errors that are not those of a damaged file. */
  readonly crashed: readonly string[];
  /** The most memory that the process needed, in MB. */
  readonly memory: number;
}

/** Messages of JavaScript, which say nothing about the file. */
const JAVASCRIPT =
  /of (undefined|null)|it is undefined|not a function|not iterable|Cannot (read|set|convert|destructure|mix)/;

/** Returns the peak of this process. `resourceUsage().maxRSS` begins at the peak of the process that started it. */
function peakMemory(): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024);
}

/** A program that reads damaged Parquet files: it can be killed when it hangs. */
async function main({ damages, scratch }: { damages: Damage[]; scratch: string }): Promise<Outcome> {
  let read = 0;
  let refused = 0;
  const crashed: string[] = [];
  for (const { path, first, step, mask } of damages) {
    const bytes = readFileSync(path);
    for (let at = first; at < bytes.length; at += step) {
      bytes[at]! ^= mask;
      writeFileSync(scratch, bytes);
      try {
        await readAll(scratch);
        read++;
      } catch (error) {
        if (error instanceof InputError && !JAVASCRIPT.test(error.message)) refused++;
        else crashed.push(`${path}, byte ${at}: ${error instanceof Error ? error.stack : String(error)}`);
      }
      bytes[at]! ^= mask;
    }
  }
  return { read, refused, crashed, memory: peakMemory() };
}

async function readAll(path: string): Promise<void> {
  const file = await open(path);
  try {
    const parquet = await ParquetFile.open(file, (await file.stat()).size, 'a.parquet');
    const columns = parquet.columns.map(({ element, children }) => ({
      name: element.name,
      leaf: children.length > 0 || element.repetition_type === 'REPEATED' ? undefined : leafColumn(element),
    }));
    const plain = columns.filter(({ leaf }) => leaf).map(({ name }) => name);
    for await (const slice of parquet.slices(new Set(plain)))
      for (let row = 0; row < slice.rows; row++)
        for (const [i, { leaf }] of columns.entries()) {
          const value = valueAt(slice.columns[i]!, row);
          if (value !== null && value !== undefined) (leaf?.text ?? nestedText)(value);
        }
  } finally {
    await file.close();
  }
}

process.stdout.write(`${JSON.stringify(await main(JSON.parse(process.argv[2]!)))}\n`);
