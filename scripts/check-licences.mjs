// Fails when a package has a licence that is incompatible with this project. The packages that ship (the dependencies
// and the contents of the console's bundle) must have a permissive licence. A development tool may also have a weak
// copyleft licence. The programs in test/webdriver-clients are separate programs that the tests start, like PostgreSQL and
// ffmpeg. Nothing links to them or contains them, so they may also have the licences that `FOR_TEST_PROGRAMS` lists.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
]);
/** Python-2.0 and PSF-2.0 are licences of Python's standard library, from which `argparse` was ported. */
const FOR_TOOLS = new Set([...PERMISSIVE, 'MPL-2.0', 'PSF-2.0', 'Python-2.0']);
/** LGPL: image libraries of Appium. CC-BY and CC0: texts and lists, of WebdriverIO and Appium. */
const FOR_TEST_PROGRAMS = new Set([
  ...FOR_TOOLS,
  'AFL-2.1',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'LGPL-3.0-or-later',
  'WTFPL',
]);
/** Licences of test programs that are in the texts of the packages, but not in the lock file. */
const LICENCES_IN_TEXT = { 'css-value': 'MIT', 'ftp-response-parser': 'MIT', 'parse-listing': 'MIT' };
/** These packages are used unmodified. MPL-2.0 requires publishing the sources of modified files only. */
const USED_UNCHANGED = new Set(['mediabunny']);

/**
 * Evaluates an SPDX expression of the forms that packages use: names joined by AND and OR, with or without
 * parentheses.
 */
function isAllowed(expression, allowed) {
  const flat = expression.replaceAll(/[()]/g, '');
  return flat.split(' AND ').every((part) => part.split(/ OR /i).some((name) => allowed.has(name.trim())));
}

/**
 * Reads the licence from the lock file, which also covers packages for other platforms, or else from the package
 * itself.
 */
function licenceOf(folder, path, entry) {
  if (entry.license) return entry.license;
  const { license, licenses } = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'));
  return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
}

/** Returns the number of packages. `allowedFor` returns the licences that a package may have. */
function check(folder, allowedFor, licences = {}) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  let checked = 0;
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '') continue;
    checked += 1;
    const name = path.replace(/^.*node_modules\//, '');
    const licence = licences[name] ?? licenceOf(folder, path, entry);
    if (isAllowed(licence, allowedFor(name, entry))) continue;
    console.error(`${name} ${entry.version}: its licence is ${licence}`);
    process.exitCode = 1;
  }
  if (checked === 0) throw new Error(`${folder}/package-lock.json names no package`);
  return checked;
}

const own = check(ROOT, (name, { dev }) => (dev || USED_UNCHANGED.has(name) ? FOR_TOOLS : PERMISSIVE));
const testPrograms = check(join(ROOT, 'test/webdriver-clients'), () => FOR_TEST_PROGRAMS, LICENCES_IN_TEXT);
if (process.exitCode === undefined)
  console.log(`licences: ${own} packages, and ${testPrograms} of test programs`);
