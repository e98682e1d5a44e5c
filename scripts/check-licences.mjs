// Fails on a package whose licence this project cannot live with. What ships (the dependencies, and what the
// console's bundle holds) has to be permissive; a tool that only works on the sources may be weak copyleft too.
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
/** Python-2.0 is the licence of Python's own libraries, of which `argparse` is a port. */
const FOR_TOOLS = new Set([...PERMISSIVE, 'MPL-2.0', 'Python-2.0']);
/** Used as they are: MPL-2.0 asks for the sources of what was changed in its own files, and nothing was. */
const USED_UNCHANGED = new Set(['mediabunny']);

/** Of the SPDX expressions that packages use: names joined by AND and OR, in parentheses or not. */
function isAllowed(expression, allowed) {
  const flat = expression.replaceAll(/[()]/g, '');
  return flat.split(' AND ').every((part) => part.split(' OR ').some((name) => allowed.has(name.trim())));
}

/** From the lock file, which has it for the packages of other platforms too, or else from the package itself. */
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
