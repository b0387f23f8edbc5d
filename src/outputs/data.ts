import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { flag, number, text, textOrNull, time, timeOrNull } from './fields.ts';

const copied = {
  workspaces: about('The workspaces.', z.array(z.string())),
  rows: number('Rows of all tables.'),
  tables: about(
    'The tables with rows.',
    z.array(
      z.object({
        table: text('Name of the table.'),
        rows: number('Its rows.'),
        digest: text('Digest of its rows, whatever their order.'),
      }),
    ),
  ),
};
const dataKey = textOrNull(
  'Fingerprint of the data key, which the file does not hold; null where none is needed.',
);
const createdAt = time('The moment of which it holds the data.');

const CopyDone = z.object({
  from: text('The source.'),
  to: text('The target.'),
  ...copied,
  equal: flag('Counts and digests are the same in source and target: always true, else the command fails.'),
  frozenMs: about(
    'How long the source was frozen before the copy was complete, in ms; null without --freeze.',
    z.nullable(z.number()),
  ),
  elapsedMs: number('Duration.'),
});
const CopyCounted = z.object({
  dryRun: flag('Nothing was copied.'),
  workspaces: copied.workspaces,
  tables: about(
    'The tables with rows, the largest first.',
    z.array(
      z.object({
        table: text('Name of the table.'),
        rows: number('Its rows.'),
        bytes: number('About their bytes.'),
      }),
    ),
  ),
  free: about('Free bytes where the copy would be; null where that is unknown.', z.nullable(z.number())),
  rows: number('Rows of all tables.'),
  bytes: number('About their bytes.'),
  seconds: number('About how long it would take, in s.'),
});
export const CopyOutput = z.union([CopyDone, CopyCounted]);
export const BackupOutput = z.object({ file: text('The file.'), createdAt, ...copied, dataKey });
export const RestoreOutput = z.object({ database: text('The database.'), createdAt, ...copied, dataKey });

export const ExportedRecord = z.looseObject({
  type: text('Kind of record.'),
  workspace: text('Workspace of the record.'),
});
export const ExportOutput = z.object({
  file: text('The file.'),
  format: text('`ndjson`, `csv` or `parquet`.'),
  types: about('What it holds.', z.array(z.string())),
  records: number('Records in it.'),
  bytes: number('Its bytes.'),
  removedBefore: timeOrNull('Records from before this time were removed by the service; null if none were.'),
  elapsedMs: number('Duration, of the last part if it was interrupted.'),
});
