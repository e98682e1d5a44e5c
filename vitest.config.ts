import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './test/closing-line-reporter.ts';
import { LongestFirst } from './test/longest-first.ts';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(
    `the tests need Node 24 and this is ${process.version}: run them through npm, as \`npm test\``,
  );
}

/** Suites that need a real PostgreSQL or NATS server say so in the names of their files. */
const FLEET = 'test/**/*{postgres,nats}*.test.ts';
const END_TO_END = [
  'test/e2e/**/*.test.ts',
  'test/api/**/*.test.ts',
  'test/black-box/**/*.test.ts',
  'test/deploy/first-run.test.ts',
];

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLineReporter()],
    teardownTimeout: 15_000,
    // Processes, not threads: a test that starts workers or changes its process stays alone with that.
    pool: 'forks',
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    setupFiles: ['test/leaks.ts'],
    testTimeout: 15_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
          // They keep nothing between them, and a process for each file would take longer than the file.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'suites', include: ['test/**/*.test.ts'], exclude: [FLEET, ...END_TO_END] },
      },
      {
        extends: true,
        test: {
          name: 'fleet',
          include: [FLEET],
          exclude: END_TO_END,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: END_TO_END,
          // After everything else and two at a time: these start whole services and browsers, and mostly wait for them.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
