// Checks the imports of every module against the table in .dependency-cruiser.mjs. A checker that reads no modules
// looks like one that finds no violations. The script therefore also counts the modules it read, then breaks each
// rule once in a generated project and requires that each violation is reported.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Visitor from '@swc/core/Visitor.js';
import { cruise } from 'dependency-cruiser';
import config, { HOMES, MAY_IMPORT } from '../.dependency-cruiser.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = ['src', 'test', 'bench', 'examples'];
const SOURCES = `{${FOLDERS.join(',')}}/**/*.{ts,tsx}`;

// The module visitor of dependency-cruiser stops at a kind of declaration that it does not know.
const { visitStatement } = Visitor.Visitor.prototype;
Visitor.Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

async function runCruiser(baseDir) {
  const files = globSync(SOURCES, { cwd: baseDir });
  const { output } = await cruise(files, { ...config.options, ruleSet: config, validate: true, baseDir });
  const read = new Set(output.modules.map((module) => module.source));
  return { files, unread: files.filter((file) => !read.has(file)), violations: output.summary.violations };
}

async function checkProject() {
  const { files, unread, violations } = await runCruiser(ROOT);
  for (const { from, to, rule } of violations) {
    const { comment } = config.forbidden.find(({ name }) => name === rule.name);
    console.error(`${from} imports ${to}: ${comment} (${rule.name})`);
  }
  for (const file of unread) console.error(`${file} was not read`);
  if (files.length === 0) console.error('no source file was found');
  return files.length > 0 && unread.length + violations.length === 0 ? files.length : null;
}

/** Returns a project that breaks every rule of the table once, as a map from file path to file content. */
function brokenProject(packages) {
  const files = {
    'src/unknown/a.ts': 'export const a = 1;',
    'src/util/unknown.ts': "import '../unknown/a.ts';",
    'src/util/cycle-a.ts': "import type { B } from './cycle-b.ts'; export type A = B | 1;",
    'src/util/cycle-b.ts': "import type { A } from './cycle-a.ts'; export type B = A | 2;",
    'src/util/homeless.ts': "import { test } from 'vitest'; test('', () => {});",
    'src/util/nowhere.ts': "import './nothing-there.ts';",
    'src/util/tests.ts': "import '../../test/a.ts';",
    'src/domain/node.ts': "import { readFileSync } from 'node:fs'; readFileSync('');",
    'src/util/using.ts': "{ using it = (await import('./nothing-there-either.ts')).open(); it; }",
    'test/a.ts': 'export const a = 1;',
  };
  const all = Object.keys(MAY_IMPORT);
  for (const folder of all) {
    const forbidden = all.find((other) => other !== folder && !MAY_IMPORT[folder].includes(other));
    files[`src/${folder}/target.ts`] = 'export type Target = 1;';
    files[`src/${folder}/broken.ts`] =
      `import type { Target } from '../${forbidden}/target.ts'; export type T = Target;`;
  }
  for (const [home, name] of packages) {
    files[`src/domain/${home.replaceAll('/', '-')}.ts`] =
      `import * as it from '${name}'; export const use = it;`;
  }
  return files;
}

/** Returns the package names and scopes in HOMES, each with a matching package that the project depends on. */
function packagesToMisplace() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const installed = Object.keys({ ...dependencies, ...devDependencies });
  return Object.keys(HOMES)
    .map((home) => [home, installed.find((name) => name === home || name.startsWith(`${home}/`))])
    .filter(([, name]) => name !== undefined);
}

async function undetectedRules() {
  const folder = mkdtempSync(join(tmpdir(), 'phonebooth-imports-'));
  try {
    const packages = packagesToMisplace();
    for (const [path, text] of Object.entries(brokenProject(packages))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const caught = new Set((await runCruiser(folder)).violations.map(({ rule }) => rule.name));
    const tested = new Set(packages.map(([home]) => `home-${home}`));
    return config.forbidden
      .map(({ name }) => name)
      .filter((name) => !caught.has(name) && (!name.startsWith('home-') || tested.has(name)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const silent = await undetectedRules();
for (const name of silent)
  console.error(`the rule ${name} no longer detects anything: a deliberate violation was not reported`);
const modules = await checkProject();
if (silent.length > 0 || modules === null) process.exitCode = 1;
else console.log(`imports: ${modules} modules, ${config.forbidden.length} rules`);
