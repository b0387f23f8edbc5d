import { inject } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { postgresLimiter } from '../../../../../src/service/platform/limits/postgres-limiter.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { createDatabase } from '../../../../support/postgres/postgres.ts';
import { decides } from '../../../decisions/store/decisions.ts';
import { conforms, type Engine } from '../conformance.ts';
import { sharesWork } from '../work.ts';

const prepare = async (): Promise<Engine> => {
  const url = await createDatabase(inject('postgres'), inject('migrated'));
  return {
    open: () => PostgresStore.open(url, systemClock),
    limiter: async (store, steady) => postgresLimiter(store as PostgresStore, steady),
  };
};

conforms('PostgreSQL', prepare);
sharesWork('PostgreSQL', prepare);
decides('PostgreSQL', prepare);
