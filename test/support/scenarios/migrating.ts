import { systemClock } from '../../../src/kit/clock.ts';
import { migrateStore } from '../../../src/service/store/open.ts';

/** A process that migrates a database, to be killed. Says when it begins, and when it has finished. */
const { database } = JSON.parse(process.argv[2]!) as { database: string };
process.stdout.write('{"begun":true}\n');
await migrateStore(database, systemClock);
process.exit(0);
