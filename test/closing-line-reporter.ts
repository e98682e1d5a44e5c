import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, TestRunEndReason, Vitest } from 'vitest/node';
import { isNightly } from './nightly.ts';

const SOAK_MINUTES = Number(process.env.PHONEBOOTH_TEST_SOAK_MINUTES ?? 0);
/**
 * Longest time that one test file may take before the run is ended, so that a file that loops or hangs does not block
 * CI.
 */
const FILE_DEADLINE_MS = ((isNightly ? 40 : 20) + SOAK_MINUTES) * 60_000;

/**
 * Ends the output with one line that people and scripts can parse: `N passed, N failed`. A test that did not run
 * counts as failed, so that no test is skipped silently, unless the run was limited to tests by name.
 */
export class ClosingLineReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #deadlines = new Map<string, NodeJS.Timeout>();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestModuleQueued(testModule: TestModule): void {
    const deadline = setTimeout(() => this.#abandon(testModule), FILE_DEADLINE_MS);
    this.#deadlines.set(testModule.id, deadline);
  }

  onTestModuleEnd(testModule: TestModule): void {
    clearTimeout(this.#deadlines.get(testModule.id));
    this.#deadlines.delete(testModule.id);
  }

  onTestRunEnd(
    testModules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    for (const deadline of this.#deadlines.values()) clearTimeout(deadline);
    const byName = this.#vitest?.config.testNamePattern !== undefined;
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const testModule of testModules) {
      const tests = [...testModule.children.allTests()];
      passed += tests.filter((test) => test.result().state === 'passed').length;
      const failures = tests.filter(
        (test) => test.result().state !== 'passed' && !(byName && isSkipped(test)),
      );
      // A file that could not be loaded, or whose hooks failed, counts as failed even if each of its tests passed.
      failed += failures.length === 0 && testModule.state() === 'failed' ? 1 : failures.length;
    }
    if (reason === 'interrupted' || passed === 0) failed = Math.max(failed, 1);
    if (failed > 0) process.exitCode = 1;
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }

  #abandon(testModule: TestModule): void {
    process.stderr.write(
      `${testModule.relativeModuleId} took longer than ${FILE_DEADLINE_MS / 60_000} minutes: the run ends here\n`,
    );
    this.onTestRunEnd(this.#vitest?.state.getTestModules() ?? [], [], 'interrupted');
    void this.#vitest?.exit(true);
  }
}

function isSkipped(test: { result(): { state: string } }): boolean {
  return test.result().state === 'skipped';
}
