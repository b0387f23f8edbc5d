import { systemClock } from '../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../src/service/store/postgres/store.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { conforms } from '../conformance.ts';
import { decides } from '../decisions.ts';
import { sharesWork } from '../work.ts';

const prepare = async () => {
  const server = await startPostgres();
  const url = await server.database();
  return { open: () => PostgresStore.open(url, systemClock), close: () => server.stop() };
};

conforms('PostgreSQL', prepare);
sharesWork('PostgreSQL', prepare);
decides('PostgreSQL', prepare);
