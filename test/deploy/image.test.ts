import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEPLOY, ROOT } from './deployment.ts';

const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
const ignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');

test('the image uses the Node version that the project is tested with', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [, version] = /^FROM node:([\d.]+)-\w+-slim AS base$/m.exec(dockerfile)!;
  expect(version).toBe(devDependencies.node);
});

test('every path that the Dockerfile copies exists and is not excluded by .dockerignore', () => {
  const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
    sources!.split(' '),
  );
  expect(copies).toContain('src');
  for (const path of copies) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(ignore, path).toContain(`!${path.split('/')[0]}`);
  }
});

test('no file of the first run with Compose becomes part of the image', () => {
  const created = [...readFileSync(join(DEPLOY, 'README.md'), 'utf8').matchAll(/mkdir -p (.+)/g)];
  const folders = created.flatMap(([, names]) => names!.split(' '));
  expect(folders).toEqual(['secrets', 'tls', 'nats/tls']);
  for (const name of [...folders, 'nats/hosts.conf', '.env']) expect(ignore).toContain(`deploy/${name}`);
});

test('the image contains only what is listed', () => {
  expect(ignore.find((line) => line !== '' && !line.startsWith('#'))).toBe('*');
});
