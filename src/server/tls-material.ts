import { readFile } from 'node:fs/promises';
import { ensureCertificates } from './certificates.ts';
import type { Config } from './config.ts';

/** Returns the operator's own certificate, or one of the local authority, in PEM format. */
export async function tlsMaterial(
  config: Config,
): Promise<{ key: string; cert: string; caFile: string | null; isAuthorityRenewed: boolean }> {
  const { tlsFiles, streamUrl, controlUrl, dataDir } = config;
  if (tlsFiles) {
    const [cert, key] = await Promise.all([readFile(tlsFiles.cert, 'utf8'), readFile(tlsFiles.key, 'utf8')]);
    return { cert, key, caFile: null, isAuthorityRenewed: false };
  }
  const hostNames = [streamUrl, controlUrl].flatMap((url) => (url ? [new URL(url).hostname] : []));
  return ensureCertificates({ dataDir, hostNames });
}
