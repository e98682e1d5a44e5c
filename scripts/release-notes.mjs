// Prints the notes of a version out of CHANGELOG.md, for a release: `node scripts/release-notes.mjs 0.2.0`. Fails if a
// file names another version, so that a tag cannot publish a version that was not prepared.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the section of a version, without its heading. @throws Error when the changelog has none, or an empty one */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^(?=## \[)/m);
  const section = sections.find((text) => text.startsWith(`## [${version}]`));
  const notes = section
    ?.slice(section.indexOf('\n'))
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim();
  if (!notes) throw new Error(`CHANGELOG.md has no notes for ${version}; rename the section [Unreleased]`);
  return notes;
}

/** Returns the files that name another version: `{ file, version }`. */
export function otherVersions(version) {
  const server = JSON.parse(read('server.json'));
  const named = {
    'package.json': JSON.parse(read('package.json')).version,
    'server.json': server.version,
    'server.json, packages': server.packages[0].version,
    'deploy/helm/phonebooth/Chart.yaml': /^appVersion: "?([^"\n]+)"?$/m.exec(
      read('deploy/helm/phonebooth/Chart.yaml'),
    )?.[1],
  };
  return Object.entries(named).flatMap(([file, own]) => (own === version ? [] : [{ file, version: own }]));
}

function main(version) {
  const [other] = otherVersions(version);
  if (other) throw new Error(`${other.file} has the version ${other.version}, not ${version}`);
  process.stdout.write(`${notesOf(read('CHANGELOG.md'), version)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv[2] ?? '');
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
