import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files with the longest running times, longest first. Most of them spend that time waiting. `fleet-network` adds a
 * network interface to the machine, and Chromium then aborts its requests with ERR_NETWORK_CHANGED. Therefore it is the
 * first, with files that use no browser.
 */
const LONGEST = [
  'e2e/fleet-network',
  'e2e/fleet',
  'black-box/on-postgres',
  'black-box/black-box',
  'black-box/accounts',
  'cli/command-line',
  'drivers/android-reboot',
  'drivers/android-shelf',
  'e2e/fleet-start',
  'e2e/console-every-page',
  'e2e/console-session',
  'e2e/console-session-link',
  'e2e/console-operators-records',
  'e2e/webhooks',
  'e2e/console-recording',
  'deploy/first-run',
  'e2e/soak',
  'e2e/history',
  'e2e/rolling-upgrade',
  'e2e/docs-site',
  'e2e/console-apps',
  'e2e/console-account',
  'e2e/console',
  'bus/nats-outage',
];
const PROJECTS = ['e2e', 'suites', 'unit'];

/** Starts the longest files first, so that none of them is left to run alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST.length + PROJECTS.indexOf(project.name) : rank;
}
