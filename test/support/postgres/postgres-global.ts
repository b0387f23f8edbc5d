import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a superuser of the server that the tests of this run share. */
    postgres: string;
  }
}

/** One server for a run: the one that SVC_TEST_POSTGRES_URL names (a superuser's URL), else one of our own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env.SVC_TEST_POSTGRES_URL;
  if (named) {
    project.provide('postgres', named);
    return undefined;
  }
  const server = await startPostgres();
  project.provide('postgres', server.admin);
  return () => server.stop();
}
