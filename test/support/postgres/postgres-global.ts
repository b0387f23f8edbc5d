import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser URL of the server that the tests of this run share. */
    postgres: string;
  }
}

/** Provides one server per run: that of SVC_TEST_POSTGRES_URL (a superuser URL), or else an embedded one. */
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
