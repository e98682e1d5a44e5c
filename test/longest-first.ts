import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of a minute and more, most of it waiting for time to pass; the longest first. */
const LONG = [
  'fleet',
  'soak',
  'console-session',
  'history',
  'console-every-page',
  'fleet-network',
  'console',
  'rolling-upgrade',
];

/** Begins the longest files before the others, so that none of them is left to run alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.endsWith(`/test/e2e/${name}.test.ts`));
  return rank === -1 ? LONG.length : rank;
}
