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
  static override summary = 'Print what the service on this machine holds, as NDJSON';
  static override description =
    `A record a line, with its "type" and "workspace". Without keys, secrets and personal fields: those stay sealed where
they are. Works while the service runs. What a service elsewhere holds cannot be exported: naming one is refused.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile local > all.ndjson',
    `<%= config.bin %> <%= command.id %> --profile local --type event | jq -c '{userId, event, timestamp, properties}'`,
  ];
  static override exitCodes = [0, 1, 2] as const;
  static override flags = {
    database: Flags.string({
      summary: 'SQLite file or postgres:// URL; SVC_DATABASE_URL, else that of `local`, unless given',
      helpValue: 'FILE',
    }),
    type: Flags.string({ summary: 'only records of this type', multiple: true, options: KINDS }),
  };

  protected override async run({
    flags,
    out,
    world,
    paths,
    signal,
  }: Context<typeof DataExport>): Promise<ExitCode> {
    const { isPostgres } = await import('../../service/store/postgres/url.ts');
    const database = localDatabase(flags, world, paths, out);
    if (!isPostgres(database) && !existsSync(database))
      throw new SvcError('file', `there is no data at ${database}`, {
        hint: 'data is made by `svc serve` and by commands with --profile local; name another file with --database',
      });
    const { dump } = await import('../../service/store/dump.ts');
    const opening = isPostgres(database)
      ? (await import('../../service/store/postgres/store.ts')).PostgresStore.open(database, world.clock)
      : (await import('../../service/store/sqlite/store.ts')).SqliteStore.open(database, world.clock);
    const store = await opening.catch((error: unknown) => {
      throw databaseError(error, database);
    });
    let records = 0;
    try {
      for (const kind of flags.type ?? KINDS) {
        for await (const line of dump(store, kind as (typeof KINDS)[number])) {
          if (signal.aborted) return EXIT.interrupted;
          records++;
          // A slow reader holds the export back instead of filling the memory.
          if (!world.stdout.write(`${escapeJson(line)}\n`))
            await once(world.stdout, 'drain', { signal }).catch(unlessAborted);
        }
      }
    } finally {
      await store.close();
    }
    out.notice(`${records} records`);
    return EXIT.done;
  }
}

/** The loop looks at the signal itself. */
function unlessAborted(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
