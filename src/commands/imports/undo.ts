import { join } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { IMPORT_RUN } from '../../contract/headers.ts';
import { LOCAL } from '../../profiles/profiles.ts';

export default class ImportsUndo extends SvcCommand {
  static override summary = 'Take back what a run of an import sent';
  static override description =
    `Deletes its events as if they had never come: it counts them, shows some and asks first. Indexes, counts, features and what goals
earned of them follow, and their ids may be sent again; decisions that were made and webhooks that were sent stay. The journal of
this machine forgets what the run sent, so that the next import of the input sends it; where earlier runs sent a part of it, with
--resume. The service deletes in pieces behind requests: the command can be interrupted, and is ended by repeating it. A run that is
going on is refused. \`svc imports list\` names the runs. Of \`svc users import\`, it deletes the
users that the run created and nobody used since: no request changed them, and no event, decision, notification, outcome or
statement about marketing names them. The others stay, and are counted, and so does what the run changed in users that existed before.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> run_3f1c02aa4be85d97c0613f2e9d4b77 --dry-run',
    '<%= config.bin %> <%= command.id %> run_3f1c02aa4be85d97c0613f2e9d4b77 --yes',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 7, 130] as const;
  static override args = { run: Args.string({ required: true, description: 'identifier of the run' }) };
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'delete nothing: count the events or users and show some' }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask for confirmation' }),
  };

  protected override async run(context: Context<typeof ImportsUndo>): Promise<void> {
    const { args, out, paths, connect } = context;
    const { run } = args;
    if (!IMPORT_RUN.test(run))
      throw new SvcError('usage', 'this is not the identifier of a run', {
        hint: (invocation) => `list them: ${invocation.onSameService('imports', 'list')}`,
      });
    const { findRun, takeRunBack } = await import('../../features/import/deliver/journal/undo.ts');
    const { JournalError } = await import('../../features/import/deliver/journal/journal-error.ts');
    const { deleteEvents } = await import('../../features/event-deletion/delete-events.ts');
    const { countedUsers, deleteUsers } = await import('../../features/event-deletion/delete-users.ts');
    const noted = findRun(join(paths.dataDir, 'imports'), run);
    if (noted?.running) throw goingOn(run);
    const connection = await connect();
    const baseUrl = connection.isLocal ? LOCAL : connection.baseUrl;
    if (noted && (noted.workspace !== connection.workspace || noted.baseUrl !== baseUrl))
      throw new SvcError(
        'usage',
        `the run ${run} sent to the workspace ${noted.workspace} at ${noted.baseUrl}`,
        {
          hint: 'name the profile of that workspace with --profile',
        },
      );
    const inJournal = (step: 'begin' | 'end') => {
      try {
        if (noted) takeRunBack(noted.file, run, step);
      } catch (error) {
        if (!(error instanceof JournalError)) throw error;
        if (error.reason === 'locked') throw goingOn(run, error);
        throw new SvcError('data', `cannot change the journal: ${error.message}`, {
          hint: (invocation) => `correct that, then: ${invocation.rerunWith()}`,
          cause: error,
        });
      }
    };
    const needs = { ...context, client: connection.client };
    const begin = () => inJournal('begin');
    const counted = noted?.kind === 'events' ? undefined : await countedUsers(needs, run, noted?.kind);
    const deleted = counted
      ? await deleteUsers(needs, run, counted, begin)
      : await deleteEvents(needs, { run }, { before: begin, isNoted: noted !== undefined });
    if (!deleted) return;
    inJournal('end');
    if (!noted)
      out.notice(
        'no journal in the data folder of this machine has the run: where it was sent from, an import skips its input until `svc imports forget`',
      );
  }
}

function goingOn(run: string, cause?: Error): SvcError {
  return new SvcError('locked', `the import of the run ${run} is running`, {
    hint: (invocation) => `wait for its end, or interrupt it, then: ${invocation.rerunWith()}`,
    cause,
  });
}
