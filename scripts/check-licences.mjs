// Fails when a package has a licence that is incompatible with this project. The packages that ship (the dependencies
// and the contents of the console's bundle) must have a permissive licence. A development tool may also have a weak
// copyleft licence.
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
/** These packages are used unmodified. MPL-2.0 requires publishing the sources of modified files only. */
const USED_UNCHANGED = new Set(['mediabunny']);

/**
 * Evaluates an SPDX expression of the forms that packages use: names joined by AND and OR, with or without
 * parentheses.
 */
function isAllowed(expression, allowed) {
  const flat = expression.replaceAll(/[()]/g, '');
  return flat.split(' AND ').every((part) => part.split(' OR ').some((name) => allowed.has(name.trim())));
}

/**
 * Reads the licence from the lock file, which also covers packages for other platforms, or else from the package
 * itself.
 */
function licenceOf(path, entry) {
  if (entry.license) return entry.license;
  const { license, licenses } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'));
  return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
let checked = 0;
for (const [path, entry] of Object.entries(packages)) {
  if (path === '') continue;
  checked += 1;
  const name = path.replace(/^.*node_modules\//, '');
  const licence = licenceOf(path, entry);
  const isTool = entry.dev || USED_UNCHANGED.has(name);
  if (isAllowed(licence, isTool ? FOR_TOOLS : PERMISSIVE)) continue;
  console.error(`${name} ${entry.version}: its licence is ${licence}`);
  process.exitCode = 1;
}
if (checked === 0) throw new Error('package-lock.json names no package');
if (process.exitCode === undefined) console.log(`licences: ${checked} packages`);
