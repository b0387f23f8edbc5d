import { systemClock } from '../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../src/service/store/postgres/store.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { conforms } from '../conformance.ts';

conforms('PostgreSQL', async () => {
  const server = await startPostgres();
  const url = await server.database();
  return { open: () => PostgresStore.open(url, systemClock), close: () => server.stop() };
});
