import type { Clock } from '../../kit/clock.ts';
import { lastBackup } from '../../service/admin/admin.ts';

/** When the last backup of a database was made, Unix ms; undefined if none was. */
export const lastBackupOf = (database: string, clock: Clock): Promise<number | undefined> =>
  lastBackup(database, clock);
