import { existsSync } from 'node:fs';
import { databaseError } from '../../cli/connection/database.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import type { Paths } from '../../cli/connection/paths.ts';
import type { ConnectionFlags } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import type { World } from '../../cli/terminal/world.ts';
import { isPostgres, openPersonalData, type WhichUser } from '../../service/admin/admin.ts';

interface Place {
  readonly flags: ConnectionFlags & { readonly database?: string | undefined };
  readonly world: World;
  readonly paths: Paths;
  readonly out: Output;
}

/** Prints every record about a user, from the data on this machine. Returns how many. Throws usage, file, data, not_found. */
export async function exportUser(
  { flags, world, paths, out }: Place,
  user: WhichUser,
  print: (line: string) => void,
): Promise<number> {
  const database = localDatabase({ ...flags, workspace: undefined }, world, paths, out);
  if (!isPostgres(database) && !existsSync(database))
    throw new SvcError('file', `${database} does not exist`, {
      hint: '`svc serve` and commands with --profile local create data; name another file with --database',
    });
  try {
    const data = await openPersonalData(database, world.clock, {
      dataDir: paths.dataDir,
      dataKey: world.env.SVC_DATA_KEY,
    });
    try {
      const records = await data.recordsOf(user);
      if (!records)
        throw new SvcError('not_found', 'no user has this identifier in these data', {
          hint: (invocation) => `list the workspaces: ${invocation.onSameService('workspaces', 'list')}`,
        });
      let count = 0;
      for await (const record of records) {
        print(escapeJson(record));
        count += 1;
      }
      return count;
    } finally {
      await data.close();
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw databaseError(error, database);
  }
}
