import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseError } from '../../cli/connection/database.ts';
import { localDatabase, remoteServiceError, selectedData } from '../../cli/connection/local-database.ts';
import { EXIT, type ExitCode } from '../../cli/errors/exit-codes.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import type { PartFile } from '../../cli/files/part-file.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import { EXPORT_FIELDS, type ExportType, REMOTE_EXPORTS } from '../../contract/export.ts';
import { FORMATS, type Format } from '../../features/data/export/encoder.ts';
import { exportRecords, type Progress } from '../../features/data/export/export.ts';
import { openDatabase, openService, type Source } from '../../features/data/export/source.ts';
import { LOCAL } from '../../profiles/profiles.ts';

/** The types by every name that is taken. */
const TYPES: Readonly<Record<string, ExportType>> = {
  ...REMOTE_EXPORTS,
  users: 'user',
  messages: 'message',
  webhooks: 'webhook',
  ...Object.fromEntries(Object.keys(EXPORT_FIELDS).map((type) => [type, type as ExportType])),
};
const ALL = Object.keys(EXPORT_FIELDS) as ExportType[];
const REMOTE: readonly ExportType[] = Object.values(REMOTE_EXPORTS);
/** How long after `--until` records from before it may still be added, in ms. */
const SETTLED_MS = 60_000;

export default class DataExport extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Export events, decisions, deliveries and other records for analysis';
  static override description =
    `As NDJSON, one record per line with its "type" and "workspace", as CSV, or as Parquet with typed columns; into a
file, or to standard output. The data of this machine is read itself, all workspaces of it, also while the service is
running; that of a remote service through its API, behind its other requests. A file has its name only once it is
complete: until then it is FILE.part, and an export that was interrupted goes on when the command is repeated. Keys,
secrets and personal fields are not exported; they stay encrypted in the database.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile local > all.ndjson',
    `<%= config.bin %> <%= command.id %> --profile local --type event | jq -c 'select(.type == "event") | {userId, event, timestamp, properties}'`,
    '<%= config.bin %> <%= command.id %> --type events --since 2026-11-25 --until 2026-11-26 --output events-2026-11-25.parquet',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 130] as const;
  static override flags = {
    database: Flags.string({
      summary: 'SQLite file or postgres:// URL (default: SVC_DATABASE_URL, else the data of `local`)',
      helpValue: 'FILE',
    }),
    type: Flags.string({
      summary: `export only records of this type, and what was removed of them: events, decisions, deliveries,
notifications, outcomes, and of this machine users, messages, webhooks`,
      helpValue: 'TYPE',
      multiple: true,
      options: Object.keys(TYPES),
    }),
    format: Flags.string({
      summary: 'format (default: by the ending of the file, else ndjson); CSV and Parquet hold one type',
      options: [...FORMATS],
      helpValue: 'FORMAT',
    }),
    ...spanFlags('records that were stored'),
    output: Flags.string({ char: 'o', summary: 'file to write, once it is complete', helpValue: 'FILE' }),
    force: Flags.boolean({ summary: 'replace the file if it exists', dependsOn: ['output'] }),
    restart: Flags.boolean({
      summary: 'begin again where an export of the file was interrupted',
      dependsOn: ['output'],
    }),
  };

  protected override async run(context: Context<typeof DataExport>): Promise<ExitCode> {
    const { flags, out, world, signal, invocation } = context;
    const { types, format } = checked(context);
    const { since, until } = flags;
    const span = { since: timeIn(since), until: timeIn(until) };
    const settled = span.until && span.until + SETTLED_MS;
    if (settled !== undefined && settled > world.clock.now())
      out.notice(
        `records from before --until may still be added: export again after ${new Date(settled).toISOString()}`,
      );
    const { source, of } = await open(context, types, span);
    let file: PartFile<Progress> | undefined;
    try {
      if (flags.output !== undefined) {
        const { PartFile } = await import('../../cli/files/part-file.ts');
        file = await PartFile.open<Progress>(resolve(world.cwd, flags.output), {
          identity: JSON.stringify({ of, types, format, since, until }),
          restart: flags.restart,
          name: flags.output,
        });
        const done = file.saved?.state.records;
        if (done !== undefined) out.notice(`going on after ${done.toLocaleString('en-US')} records`);
      }
      const start = world.clock.now();
      const exported = await exportRecords(source, { types, format, file, world, out, signal });
      const { records, removedBefore, complete } = exported;
      if (!complete) {
        if (!file) return EXIT.interrupted;
        throw new SvcError(
          'interrupted',
          `interrupted: ${records.toLocaleString('en-US')} records are in ${flags.output}.part`,
          { hint: invocation.rerunWith() },
        );
      }
      const removed = removedBefore === undefined ? undefined : new Date(removedBefore).toISOString();
      if (removed !== undefined && format !== 'ndjson')
        out.warn(`records from before ${removed} were removed by the service`);
      if (!file) {
        out.notice(`${records} records`);
        return EXIT.done;
      }
      const elapsedMs = world.clock.now() - start;
      out.result(
        {
          file: flags.output,
          format,
          types: types.map(pluralOf),
          records,
          bytes: file.bytes,
          removedBefore: removed ?? null,
          elapsedMs,
        },
        () => [`wrote ${flags.output!}: ${records.toLocaleString('en-US')} records`],
      );
      return EXIT.done;
    } finally {
      await file?.close();
      await source.close();
    }
  }
}

const timeIn = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

const pluralOf = (type: ExportType): string => Object.entries(TYPES).find(([, each]) => each === type)![0];

/** The types and the format. Throws usage for a combination that cannot be exported, and `file` for a file that exists. */
function checked({ flags, world, paths }: Context<typeof DataExport>): {
  types: readonly ExportType[];
  format: Format;
} {
  const named = flags.type?.map((name) => TYPES[name]!);
  const isRemote = typeof selectedData(flags, world, paths) === 'object';
  const types = named ? [...new Set(named)] : isRemote ? REMOTE : ALL;
  const ending = FORMATS.find((each) => flags.output?.toLowerCase().endsWith(`.${each}`));
  const format = (flags.format as Format | undefined) ?? ending ?? 'ndjson';
  if (format !== 'ndjson' && types.length !== 1)
    throw new SvcError(
      'usage',
      `${format === 'csv' ? 'a CSV' : 'a Parquet file'} holds records of one type`,
      {
        hint: (invocation) => `name one: ${invocation.rerunWith('--type', 'events')}`,
      },
    );
  if (format === 'parquet' && flags.output === undefined && world.stdout.isTTY)
    throw new SvcError('usage', 'Parquet is not text for a terminal', {
      hint: (invocation) => invocation.rerunWith('--output', `${pluralOf(types[0]!)}.parquet`),
    });
  if (flags.since !== undefined && flags.until !== undefined && flags.until <= flags.since)
    throw new SvcError('usage', '--until must be after --since', {
      hint: 'write for example --since 2026-11-25 --until 2026-11-26',
    });
  if (flags.output !== undefined && !flags.force && existsSync(resolve(world.cwd, flags.output)))
    throw new SvcError('file', `${flags.output} exists already`, {
      hint: (invocation) => `name another file, or replace it: ${invocation.rerunWith('--force')}`,
    });
  return { types, format };
}

/** Opens what flags, environment or profile select. `of` identifies it. Throws usage, file, data or not_configured. */
async function open(
  context: Context<typeof DataExport>,
  types: readonly ExportType[],
  span: { since: number | undefined; until: number | undefined },
): Promise<{ source: Source; of: string }> {
  const { flags, world, paths, out, signal } = context;
  const selected = selectedData(flags, world, paths);
  if (typeof selected === 'object') {
    if (flags.database !== undefined || flags.profile === LOCAL) throw remoteServiceError(selected.remote);
    const missing = types.find((type) => !REMOTE.includes(type));
    if (missing !== undefined)
      throw new SvcError('usage', `${pluralOf(missing)} are exported from the data of this machine only`, {
        hint: (invocation) => `name other types: ${invocation.rerunWith('--type', 'events')}`,
      });
    const connection = await context.connect({ lasting: true });
    if (!connection.isLocal) {
      const source = openService(connection, span, signal);
      const page: Source['page'] = (...which) =>
        orUnsupportedFeature('an export of its records', source.page(...which));
      return { source: { ...source, page }, of: `${connection.baseUrl} ${connection.workspace}` };
    }
  }
  const database = localDatabase(flags, world, paths, out);
  const { isPostgres } = await import('../../service/admin/admin.ts');
  if (!isPostgres(database) && !existsSync(resolve(world.cwd, database)))
    throw new SvcError('file', `${database} does not exist`, {
      hint: '`svc serve` and commands with --profile local create data; name another file with --database',
    });
  // The service may run on the same machine.
  world.lowerPriority();
  const source = await openDatabase(database, span, world.clock).catch((error: unknown) => {
    throw databaseError(error, database);
  });
  return { source, of: resolve(world.cwd, database) };
}
