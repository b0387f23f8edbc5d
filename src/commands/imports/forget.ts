import { join } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { confirm } from '../../cli/input/prompt.ts';
import type { StoredImport } from '../../contract/console.ts';

export default class ImportsForget extends SvcCommand {
  static override summary = 'Remove the journals of imports, so that the next ones send everything';
  static override description =
    `Names an import by the beginning of its identifier. Nothing that was sent is taken back: importing the same input again
sends all of it, and a service that does not support idempotency keys then stores it twice. An unfinished import is
removed only after confirmation.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 3f1c02aa --yes',
    '<%= config.bin %> <%= command.id %> --finished',
  ];
  static override exitCodes = [0, 1, 2, 130] as const;
  static override strict = false;
  static override usage = 'imports forget ID… | --finished';
  static override args = { id: Args.string({ description: 'beginning of the identifier; repeatable' }) };
  static override flags = {
    finished: Flags.boolean({ summary: 'all imports that finished' }),
    yes: Flags.boolean({ char: 'y', summary: 'do not ask for confirmation' }),
  };

  protected override async run(context: Context<typeof ImportsForget>): Promise<void> {
    const { argv, flags, out, paths, world } = context;
    const { forgetImport, keptImports } = await import('../../features/import/deliver/journal/list.ts');
    const { JournalError } = await import('../../features/import/deliver/journal/journal-error.ts');
    if (argv.length === 0 && !flags.finished)
      throw new SvcError('usage', 'no import was named', {
        hint: (invocation) => `list them: ${invocation.onSameService('imports', 'list')}`,
      });
    const folder = join(paths.dataDir, 'imports');
    const kept = keptImports(folder);
    const named = argv.map((id) => only(kept, id));
    const chosen = new Set([...named, ...(flags.finished ? kept.filter(isFinished) : [])]);
    const unfinished = [...chosen].filter((each) => !isFinished(each));
    const sure =
      unfinished.length === 0 ||
      flags.yes ||
      (await confirm(world, `Forget ${unfinished.length} unfinished?`, {
        noInput: flags['no-input'],
        instead: (invocation) => invocation.rerunWith('--yes'),
      }));
    if (!sure)
      throw new SvcError('usage', 'nothing was removed', {
        hint: (invocation) => invocation.rerunWith('--yes'),
      });
    const removed: string[] = [];
    const forget = (each: StoredImport) => {
      try {
        return forgetImport(folder, each);
      } catch (error) {
        if (!(error instanceof JournalError)) throw error;
        throw new SvcError('data', `cannot open the journal: ${error.message}`, {
          hint: (invocation) => `correct that, then: ${invocation.rerunWith()}`,
          cause: error,
        });
      }
    };
    for (const each of chosen) {
      if (!forget(each))
        throw new SvcError('locked', `the import ${each.id} is running`, {
          hint: (invocation) => `wait for its end, or interrupt it, then: ${invocation.rerunWith()}`,
        });
      removed.push(each.id);
    }
    out.result({ removed }, () =>
      removed.length === 0 ? 'no imports' : removed.map((id) => `removed import ${id}`).join('\n'),
    );
  }
}

const isFinished = ({ state }: StoredImport) => state === 'finished';

/** The import that an identifier begins like. Throws usage where it is none, or not one. */
function only(kept: readonly StoredImport[], id: string): StoredImport {
  const found = kept.filter((each) => each.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  throw new SvcError(
    'usage',
    found.length === 0 ? `no import ${id}` : `${found.length} imports begin with ${id}`,
    {
      hint: (invocation) =>
        `list them: ${invocation.onSameService('imports', 'list', '--fields', 'id,inputs')}`,
    },
  );
}
