import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres, type TestPostgres } from './fixtures/postgres.ts';
import type { Answer } from './fixtures/shared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Unix socket that answers each connection with an Answer in JSON. */
    postgresSocket: string;
  }
}

/** Starts the run's PostgreSQL server when the first test file asks for it, and stops it after the last test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-shared-'));
  const socket = join(folder, 'postgres.sock');
  let postgres: Promise<TestPostgres> | undefined;
  const server = createServer(async (connection) => {
    connection.on('error', () => {});
    postgres ??= startPostgres();
    const answer: Answer = await postgres.then(
      ({ url }) => ({ url }),
      (error: unknown) => ({ error: String(error) }),
    );
    connection.end(JSON.stringify(answer));
  });
  server.listen(socket);
  await once(server, 'listening');
  project.provide('postgresSocket', socket);
  return async () => {
    server.close();
    await postgres?.then(
      (started) => started.stop(),
      () => {},
    );
    await rm(folder, { recursive: true, force: true });
  };
}
