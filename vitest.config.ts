import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './test/closing-line-reporter.ts';
import { COMPILE_CACHE } from './test/fixtures/compile-cache.ts';
import { LongestFirst } from './test/longest-first.ts';
import { isNightly } from './test/nightly.ts';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(
    `the tests need Node 24 and this is ${process.version}: run them through npm, as \`npm test\``,
  );
}

const END_TO_END = [
  'test/e2e/**/*.test.ts',
  'test/black-box/**/*.test.ts',
  'test/cli/command-line.test.ts',
  'test/deploy/first-run.test.ts',
];

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLineReporter()],
    teardownTimeout: 15_000,
    // Uses processes instead of threads, because tests measure the handles of their process and start workers.
    pool: 'forks',
    // Test files that run after one another in a process share its loaded modules. Starting a process and loading the
    // server takes a second of processor time, which is longer than most files run.
    isolate: false,
    // A large young generation from the start, in MiB. Many short-lived objects are created while modules load.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=32'],
    // More than there are processors, because tests mostly wait: with five on two processors the run takes two thirds of
    // the time that it takes with three. The nightly run measures time limits.
    maxWorkers: isNightly ? availableParallelism() : 2 * availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    // Compiling their modules takes most of the time of the threads and processes that tests start.
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    setupFiles: ['test/leaks.ts'],
    globalSetup: ['test/prepare-setup.ts', 'test/shared-postgres-setup.ts'],
    // Long enough for a machine that is busy or stops for several seconds.
    testTimeout: 240_000,
    hookTimeout: 600_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
        },
      },
      {
        extends: true,
        test: { name: 'suites', include: ['test/**/*.test.ts'], exclude: END_TO_END },
      },
      {
        extends: true,
        // These start whole services and browsers.
        test: { name: 'e2e', include: END_TO_END, testTimeout: 600_000 },
      },
    ],
  },
});
