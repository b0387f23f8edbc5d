import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseError, databaseFlag, databaseOf } from '../../cli/connection/database.ts';

export default class ServeMigrate extends SvcCommand {
  static override summary = 'Migrate a database to the schema of this version';
  static override description =
    `\`svc serve\` migrates the database when it starts, and any number of nodes may start at once. Run this command first
if the nodes' database user may not change the schema, or to choose the time of the migration. Migrations only go
forward: a database that a newer version has migrated is refused.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --database postgres://svc@db.internal/svc',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override flags = { database: databaseFlag };

  protected override async run({ flags, out, world, paths }: Context<typeof ServeMigrate>): Promise<void> {
    const { migrateDatabase } = await import('../../service/admin/admin.ts');
    const database = databaseOf(flags.database, world, paths, out);
    const { from, to } = await migrateDatabase(database, world.clock).catch((error) => {
      throw databaseError(error, database);
    });
    out.result({ from, to }, () =>
      from === to
        ? `the schema is already at version ${to}`
        : `migrated the schema from version ${from} to ${to}`,
    );
  }
}
