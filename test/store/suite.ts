import { describe } from 'vitest';
import { accountTests } from './suite-accounts.ts';
import { adminTests } from './suite-admin.ts';
import { adminAccountTests } from './suite-admin-accounts.ts';
import { appTests } from './suite-apps.ts';
import { artifactTests } from './suite-artifacts.ts';
import { auditTests } from './suite-audit.ts';
import { auditedChangeTests } from './suite-audited.ts';
import { concurrencyTests } from './suite-concurrency.ts';
import { connectTests } from './suite-connect.ts';
import { deliveryTests } from './suite-deliveries.ts';
import { endingTests } from './suite-ending.ts';
import { eventTests } from './suite-events.ts';
import { grantTests } from './suite-grants.ts';
import { groupTests } from './suite-groups.ts';
import { historyTests } from './suite-histories.ts';
import { hostAdminTests } from './suite-host-admin.ts';
import { hostTests } from './suite-hosts.ts';
import { listTests } from './suite-lists.ts';
import { queueTests } from './suite-queue.ts';
import { reaperTests } from './suite-reaper.ts';
import { recordingTests } from './suite-recordings.ts';
import { userTests } from './suite-users.ts';
import { visibilityTests } from './suite-visibility.ts';
import { webhookTests } from './suite-webhooks.ts';
import { type Database, useWorld } from './world.ts';

/** Defines the tests that every implementation of the store must pass. */
export function storeSuite(name: string, prepare: () => Promise<Database>): void {
  describe(`store: ${name}`, () => {
    const world = useWorld(prepare);
    accountTests(world);
    connectTests(world);
    endingTests(world);
    hostTests(world);
    hostAdminTests(world);
    reaperTests(world);
    listTests(world);
    appTests(world);
    artifactTests(world);
    recordingTests(world);
    adminAccountTests(world);
    userTests(world);
    grantTests(world);
    adminTests(world);
    auditTests(world);
    auditedChangeTests(world);
    eventTests(world);
    queueTests(world);
    webhookTests(world);
    deliveryTests(world);
    groupTests(world);
    visibilityTests(world);
    concurrencyTests(world);
    historyTests(world);
  });
}
