import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseError } from '../../cli/connection/database.ts';
import { localDatabase } from '../../cli/connection/local-database.ts';
import { EXIT, type ExitCode } from '../../cli/errors/exit-codes.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';

const KINDS = [
  'user',
  'event',
  'decision',
  'message',
  'notification',
  'outcome',
  'webhook',
  'delivery',
] as const;

export default class DataExport extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Export the data of the service on this machine as NDJSON';
  static override description =
    `Prints one record per line, with its "type" and "workspace". Keys, secrets and personal fields are not exported; they
stay encrypted in the database. The service may be running. The data of a remote service cannot be exported, and a
command that names one is refused.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile local > all.ndjson',
    `<%= config.bin %> <%= command.id %> --profile local --type event | jq -c 'select(.type == "event") | {userId, event, timestamp, properties}'`,
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override flags = {
    database: Flags.string({
      summary: 'SQLite file or postgres:// URL (default: SVC_DATABASE_URL, else the data of `local`)',
      helpValue: 'FILE',
    }),
    type: Flags.string({
      summary: 'export only records of this type, and what was removed of them',
      multiple: true,
      options: KINDS,
    }),
  };

  protected override async run({
    flags,
    out,
    world,
    paths,
    signal,
  }: Context<typeof DataExport>): Promise<ExitCode> {
    const { isPostgres, openForExport } = await import('../../service/admin/admin.ts');
    const database = localDatabase(flags, world, paths, out);
    if (!isPostgres(database) && !existsSync(database))
      throw new SvcError('file', `${database} does not exist`, {
        hint: '`svc serve` and commands with --profile local create data; name another file with --database',
      });
    // The service may run on the same machine.
    world.lowerPriority();
    const session = await openForExport(database, world.clock).catch((error: unknown) => {
      throw databaseError(error, database);
    });
    let records = 0;
    try {
      for (const kind of flags.type ?? KINDS) {
        for await (const line of session.records(kind as (typeof KINDS)[number])) {
          if (signal.aborted) return EXIT.interrupted;
          records++;
          // Waits for a slow reader, so that records do not accumulate in memory.
          if (!world.stdout.write(`${escapeJson(line)}\n`))
            await once(world.stdout, 'drain', { signal }).catch(unlessAborted);
        }
      }
    } finally {
      await session.close();
    }
    out.notice(`${records} records`);
    return EXIT.done;
  }
}

/** Ignores an abort, which the loop checks for. */
function unlessAborted(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
