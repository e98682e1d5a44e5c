import type { TestProject } from 'vitest/node';
import { startPostgres } from './fixtures/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server of this run's own; a test makes its own database on it. */
    postgresUrl: string;
  }
}

/** One server for every suite that needs a real PostgreSQL: starting one costs seconds, a database on it costs little. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
