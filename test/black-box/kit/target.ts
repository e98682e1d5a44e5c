import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { type Service, startService } from '../../fixtures/service.ts';
import { sharedPostgres } from '../../fixtures/shared-postgres.ts';
import { Api } from './api.ts';
import { Description } from './description.ts';

/** A deployment under test, accessed as any client accesses it. */
export interface Target {
  api: Api;
  /** CA against which certificates are verified. undefined: the system's trusted CAs. */
  ca: string | undefined;
  /** A proxy in front of the deployment answers paths with %00 itself. */
  rejectsNullBytes?: boolean;
}

/** A deployment that this run started itself, so that it can also create accounts and keys. */
export interface LocalTarget extends Target {
  service: Service;
}

export const STORES = ['the embedded store', 'PostgreSQL'] as const;
export type StoreName = (typeof STORES)[number];

/** Returns the deployment that the environment names, or null if the suite must start its own. */
export function foreignTarget(): { url: string; key: string; ca: string | undefined } | null {
  const { PHONEBOOTH_TEST_URL: url, PHONEBOOTH_TEST_KEY: key, PHONEBOOTH_TEST_CA: ca } = process.env;
  if (!url) return null;
  if (!key) throw new Error('PHONEBOOTH_TEST_URL requires PHONEBOOTH_TEST_KEY');
  return { url: url.replace(/\/$/, ''), key, ca: ca && readFileSync(ca, 'utf8') };
}

/** Starts the service before the tests of this block, and stops it after them. */
export function useLocalTarget(store: StoreName, settings: Record<string, string> = {}): LocalTarget {
  const target = {} as LocalTarget;
  beforeAll(async () => {
    const databaseUrl = store === 'PostgreSQL' ? await sharedPostgres.createDatabase() : undefined;
    const service = await startService({ databaseUrl, settings });
    const ca = readFileSync(service.caFile, 'utf8');
    Object.assign(target, { service, ...(await connectTo(service.baseUrl, service.key, ca)) });
  });
  afterAll(() => target.service?.[Symbol.asyncDispose]());
  return target;
}

/** Reads the OpenAPI document of the deployment that the environment names, before the tests of this block. */
export function useForeignTarget({
  url,
  key,
  ca,
}: {
  url: string;
  key: string;
  ca: string | undefined;
}): Target {
  const target = {} as Target;
  beforeAll(async () => {
    Object.assign(target, await connectTo(url, key, ca));
  });
  return target;
}

async function connectTo(baseUrl: string, key: string, ca: string | undefined): Promise<Target> {
  const description = await Description.fetch(baseUrl, ca);
  return { api: new Api({ baseUrl, key, ca, description }), ca };
}
