import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { processEnv } from '../fixtures/process.ts';
import { serviceEnvironment } from './deployment.ts';

/** Where this test's own servers listen. */
export interface Servers {
  postgresPort: number;
  natsPort: number;
}

/**
 * The environment of a service's container for a process without one: what the compose file gives it, except for where
 * other containers are, the data folder, the addresses to listen at, and what all processes of the tests share.
 */
export function withoutContainer(
  folder: string,
  service: string,
  { postgresPort, natsPort }: Servers,
): Record<string, string> {
  const dataDir = join(folder, 'data', service);
  mkdirSync(dataDir, { recursive: true });
  const moved = Object.entries(serviceEnvironment(folder, service)).map(([name, value]) => [
    name,
    value
      .replace('@postgres/', `@127.0.0.1:${postgresPort}/`)
      .replace('//nats:4222', `//127.0.0.1:${natsPort}`),
  ]);
  return {
    ...Object.fromEntries(moved),
    ...processEnv(dataDir),
    PHONEBOOTH_HOST: '127.0.0.1',
    PHONEBOOTH_INGEST_URL: '',
    PHONEBOOTH_INGEST_PORT: '0',
  };
}
