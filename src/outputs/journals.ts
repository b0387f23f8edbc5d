import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { flag, text, textOrNull, time, timeOrNull, whole, wholeOrNull } from './fields.ts';

const run = z.object({
  runId: text('Identifier of the run.'),
  at: time('When it began.'),
  accepted: whole('Records that the service has acknowledged.'),
  undone: flag('True once they were taken back.'),
});

/** What `svc imports list` prints. */
export const ImportsOutput = z.object({
  imports: about(
    'The imports, the latest first. What is null is not known: the journal is in use or cannot be read.',
    z.array(
      z.object({
        id: text('Identifier of the import.'),
        state: about(
          'Whether it runs, can be resumed, or finished.',
          z.enum(['running', 'unfinished', 'finished', 'unusable', 'unreadable']),
        ),
        kind: textOrNull('Kind of its records: events or users.'),
        inputs: about('Its inputs: paths, or `-` for standard input.', z.nullable(z.array(z.string()))),
        baseUrl: textOrNull('Base URL of the service; `local` for the service on this machine.'),
        workspace: textOrNull('The workspace.'),
        acknowledged: wholeOrNull('Records that the service has acknowledged.'),
        inDoubt: wholeOrNull('Records that were sent without an answer.'),
        left: wholeOrNull('Records that are left: 0 if it finished; null until its input was read.'),
        lastAt: timeOrNull('When a batch was last sent.'),
        rejectsFile: textOrNull('The file with the records that were refused; null if none was.'),
        runs: about(
          'Its runs whose events the service keeps together, the latest first.',
          z.nullable(z.array(run)),
        ),
      }),
    ),
  ),
});

export const ImportsForgotten = z.object({
  removed: about('Identifiers of the imports.', z.array(z.string())),
});
