import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from './environment.ts';

type Setting = 'PHONEBOOTH_TLS_CERT' | 'PHONEBOOTH_TLS_KEY';

/**
 * Reads the operator's own certificate and its private key, in PEM format. The messages of OpenSSL name neither the
 * setting nor the file, so both are checked here.
 * @throws ConfigError
 */
export async function readOwnCertificate(files: {
  cert: string;
  key: string;
}): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([
    readText('PHONEBOOTH_TLS_CERT', files.cert),
    readText('PHONEBOOTH_TLS_KEY', files.key),
  ]);
  const certificate = valueIn(
    'PHONEBOOTH_TLS_CERT',
    files.cert,
    'a certificate',
    () => new X509Certificate(cert),
  );
  const privateKey = valueIn('PHONEBOOTH_TLS_KEY', files.key, 'an unencrypted private key', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new ConfigError(
      'PHONEBOOTH_TLS_KEY',
      `must name the private key of the certificate in ${files.cert}; ${files.key} has another key`,
    );
  return { cert, key };
}

async function readText(setting: Setting, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(setting, `cannot be read: ${(error as Error).message}`);
  }
}

function valueIn<T>(setting: Setting, file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new ConfigError(setting, `must name a PEM file with ${what}; ${file} contains none`);
  }
}
