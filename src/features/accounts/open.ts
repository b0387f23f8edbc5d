import { existsSync } from 'node:fs';
import { databaseError } from '../../cli/connection/database.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import type { Paths } from '../../cli/connection/paths.ts';
import type { ConnectionFlags } from '../../cli/connection/settings.ts';
import { type Hint, SvcError } from '../../cli/errors/svc-error.ts';
import type { Output } from '../../cli/terminal/output.ts';
import type { World } from '../../cli/terminal/world.ts';
import type { Accounts } from '../../service/admin/admin.ts';

interface Place {
  readonly flags: ConnectionFlags & { readonly database?: string | undefined };
  readonly world: World;
  readonly paths: Paths;
  readonly out: Output;
}

/** What to do after an error of `AccountError`, by its reason, but for `exists`, whose hint names the workspace. */
const HINTS: Readonly<Record<string, Hint>> = {
  unknown_workspace: (invocation) => `list them: ${invocation.onSameService('workspaces', 'list')}`,
  several_workspaces: (invocation) =>
    `list them: ${invocation.onSameService('workspaces', 'list')}, then: ${invocation.rerunWith('--workspace', 'WORKSPACE')}`,
  other_kind: 'leave out --kind, or name another workspace with --workspace',
  not_test: (invocation) => `make it a test workspace first: ${invocation.rerunWith('--mode', 'test')}`,
  unfinished_copy: 'repeat the copy; it opens the workspace when it is complete',
  test_clock: 'keep live workspaces in another store: svc serve --database live.db',
  ended_key: (invocation) =>
    `create another key: ${invocation.onSameService('keys', 'create', '--workspace', 'WORKSPACE')}`,
  unknown_key: (invocation) => `list them: ${invocation.onSameService('keys', 'list')}`,
};

/**
 * Opens the workspaces and keys of a database on this machine, or of a PostgreSQL database, and closes it afterwards.
 * `--workspace` names a workspace in it, not a remote service. Throws usage, file and data.
 */
export async function withAccounts<T>(place: Place, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const { flags, world, paths, out } = place;
  const { isPostgres, openAccounts } = await import('../../service/admin/admin.ts');
  const database = localDatabase({ ...flags, workspace: undefined }, world, paths, out);
  if (!isPostgres(database) && !existsSync(database))
    throw new SvcError('file', `${database} does not exist`, {
      hint: '`svc serve` and commands with --profile local create data; name another file with --database',
    });
  const accounts = await openAccounts(database, world.clock).catch((error: unknown) => {
    throw databaseError(error, database);
  });
  try {
    return await work(accounts);
  } catch (error) {
    if (error instanceof Error && error.name === 'AccountError') {
      const { reason, workspace } = error as Error & { reason: string; workspace: string | undefined };
      const keysOfIt: Hint = (invocation) =>
        `its keys: ${invocation.onSameService('keys', 'list', '--workspace', workspace!)}`;
      const hint = reason === 'exists' ? keysOfIt : HINTS[reason]!;
      throw new SvcError('usage', error.message, { hint, cause: error });
    }
    throw databaseError(error, database);
  } finally {
    await accounts.close();
  }
}
