import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error: the script has no types
import { notesOf, otherVersions } from '../../scripts/release-notes.mjs';
import { ROOT } from './deployment.ts';

interface Step {
  uses?: string;
  run?: string;
}
interface Workflow {
  jobs: Record<string, { uses?: string; needs?: string; 'timeout-minutes'?: number; steps?: Step[] }>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { version, scripts } = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
};
const workflow = (name: string) => parse(read(`.github/workflows/${name}.yml`)) as Workflow;

test('the notes of a version are its section of the changelog', () => {
  const changelog = [
    ...['# Changelog', '', '## [Unreleased]', '', '## [0.2.0] - 2026-12-01', '', '### Added', '', '- A.'],
    ...['', '## [0.1.0] - 2026-11-01', '', '- B.', '', '[0.1.0]: https://example.com'],
  ].join('\n');
  expect(notesOf(changelog, '0.2.0')).toBe('### Added\n\n- A.');
  expect(notesOf(changelog, '0.1.0')).toBe('- B.');
  expect(() => notesOf(changelog, '0.3.0')).toThrow('CHANGELOG.md has no notes for 0.3.0');
  expect(() => notesOf(changelog, 'Unreleased')).toThrow('no notes');
  expect(notesOf(read('CHANGELOG.md'), 'Unreleased')).toContain('### ');
});

test('all files name the same version', () => {
  expect(otherVersions(version)).toEqual([]);
  expect(otherVersions('9.9.9')).toHaveLength(4);
});

test.each(['ci', 'nightly', 'release'])('the workflow %s only uses scripts and files that exist', (name) => {
  for (const [job, { uses, steps = [], 'timeout-minutes': minutes }] of Object.entries(workflow(name).jobs)) {
    if (uses) {
      expect(read(uses)).toContain('workflow_call');
      continue;
    }
    expect(minutes, job).toBeGreaterThan(0);
    for (const { uses: action, run = '' } of steps) {
      if (action) expect(action).toMatch(/^(actions|docker)\/[\w-]+@v\d+$/);
      for (const [, script] of run.matchAll(/npm run (?:--silent )?([\w:]+)/g))
        expect(scripts).toHaveProperty([script!]);
      for (const [path] of run.matchAll(/(?:scripts|deploy|\.ci)\/[\w.-]+/g))
        expect(read(path).length).toBeGreaterThan(0);
    }
  }
});

test('nothing is published before the tests have passed', () => {
  const { tests, ...others } = workflow('release').jobs;
  expect(tests?.uses).toBe('./.github/workflows/ci.yml');
  for (const { needs } of Object.values(others)) expect(needs).toBe('tests');
});
