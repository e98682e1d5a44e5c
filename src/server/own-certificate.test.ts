import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureCertificates } from './certificates.ts';
import { readOwnCertificate } from './own-certificate.ts';

let folder: string;
const inFolder = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-own-certificate-'));
  for (const name of ['own', 'other']) {
    const { cert, key } = await ensureCertificates({ dataDir: inFolder(name), hostNames: [] });
    await writeFile(inFolder(`${name}.pem`), cert);
    await writeFile(inFolder(`${name}-key.pem`), key);
  }
  await writeFile(inFolder('note.txt'), 'not a certificate');
});
afterAll(() => rm(folder, { recursive: true }));

const read = (cert: string, key: string) =>
  readOwnCertificate({ cert: inFolder(cert), key: inFolder(key) }).then(
    () => 'accepted',
    (error: Error) => error.message.replaceAll(folder, '…'),
  );

test.each([
  ['own.pem', 'own-key.pem', 'accepted'],
  [
    'none.pem',
    'own-key.pem',
    "PHONEBOOTH_TLS_CERT cannot be read: ENOENT: no such file or directory, open '…/none.pem'",
  ],
  [
    'own.pem',
    'none.pem',
    "PHONEBOOTH_TLS_KEY cannot be read: ENOENT: no such file or directory, open '…/none.pem'",
  ],
  [
    'note.txt',
    'own-key.pem',
    'PHONEBOOTH_TLS_CERT must name a PEM file with a certificate; …/note.txt contains none',
  ],
  [
    'own.pem',
    'own.pem',
    'PHONEBOOTH_TLS_KEY must name a PEM file with an unencrypted private key; …/own.pem contains none',
  ],
  [
    'own.pem',
    'other-key.pem',
    'PHONEBOOTH_TLS_KEY must name the private key of the certificate in …/own.pem; …/other-key.pem has another key',
  ],
])('the certificate %s with the key %s', async (cert, key, outcome) => {
  expect(await read(cert, key)).toBe(outcome);
});
