import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseError, databaseFlag, databaseOf } from '../../cli/connection/database.ts';

export default class ServeMigrate extends SvcCommand {
  static override summary = 'Bring a database to the schema of this svc';
  static override description =
    `Every \`svc serve\` does this at its start, any number of them at once. Run it before
them where the nodes' user may not change the schema, or to do it at a time of your choosing. Steps only go forward: a
database that a newer svc has changed is refused.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --database postgres://svc@db.internal/svc',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override flags = { database: databaseFlag };

  protected override async run({ flags, out, world, paths }: Context<typeof ServeMigrate>): Promise<void> {
    const { migrateStore } = await import('../../service/store/open.ts');
    const database = databaseOf(flags.database, world, paths, out);
    const { from, to } = await migrateStore(database, world.clock).catch((error) => {
      throw databaseError(error, database);
    });
    out.result({ from, to }, () =>
      from === to
        ? `the schema is at version ${to} already`
        : `the schema went from version ${from} to ${to}`,
    );
  }
}
