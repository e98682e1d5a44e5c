import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { processEnv } from '../fixtures/process.ts';
import { serviceEnvironment } from './deployment.ts';

/** Ports on which the servers of the test listen. */
export interface Servers {
  postgresPort: number;
  natsPort: number;
}

/**
 * Environment for running a service's container as a plain process. It is the environment from the compose file,
 * except for the addresses of other containers, the data folder, the listen addresses, and the settings that all test
 * processes share.
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
