import { join } from 'node:path';
import { databaseError } from '../../cli/connection/database.ts';
import { isLoopback } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { ObservedLimits } from '../../client/observed-limits.ts';
import { shellWord } from '../../kit/shell.ts';
import { LOCAL } from '../../profiles/profiles.ts';
import { prepareRemoval } from '../../service/admin/admin.ts';
import { type Destination, forgetImports } from '../import/deliver/journal/forget.ts';

/**
 * Removes a local SQLite database and what `dataDir` holds about it: journals of imports, which would skip removed
 * records, and observed limits. Resolves with the removed files and journals, and with the journals that could not
 * be read or are in use. Rejects with SvcError `locked` while
 * another process uses the database, `data` if the file does not belong to svc.
 */
export async function resetData(
  database: string,
  dataDir: string,
): Promise<{ files: string[]; journals: string[]; kept: string[] }> {
  const { workspace, remove } = await prepareRemoval(database).catch((error: Error) => {
    throw removalError(error, database);
  });
  // Journals first: after an interruption here, imports send records twice. The other order would skip records.
  const { removed, kept } =
    workspace === undefined ? { removed: [], kept: [] } : forgetWorkspace(workspace, dataDir);
  return { files: remove(), journals: removed, kept };
}

function removalError(error: Error, file: string): unknown {
  if (error.name === 'StoreInUse')
    return new SvcError('locked', error.message, {
      hint: (invocation) =>
        `stop the process that uses it (fuser -v ${shellWord(file)} lists it), then: ${invocation.rerunWith()}`,
      cause: error,
    });
  // Does not repeat the command line: with --yes, it would remove the next file without a question.
  if (error.name === 'StoreForeign')
    return new SvcError('data', error.message, {
      hint: 'name a database of `svc serve` with --database',
      cause: error,
    });
  return databaseError(error, file);
}

/** The name of a workspace is random, so it identifies the data at every local address it was imported through. */
function forgetWorkspace(workspace: string, dataDir: string): { removed: string[]; kept: string[] } {
  new ObservedLimits(dataDir, { baseUrl: LOCAL, workspace }).forget();
  const here = ({ baseUrl }: Destination) => baseUrl === LOCAL || isLoopback(new URL(baseUrl).hostname);
  return forgetImports(join(dataDir, 'imports'), (to) => to.workspace === workspace && here(to));
}
