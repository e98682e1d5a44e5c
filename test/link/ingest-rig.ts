import { type IngestOptions, IngestServer } from '../../src/link/websocket-ingest.ts';
import type { Keepalive } from '../../src/link/websocket-link.ts';
import { issueAuthority } from '../../src/server/issue-certificates.ts';
import { silentLog } from '../../src/util/log.ts';

/** Detects a silent peer within 600 ms instead of 6 s. */
export const QUICK: Keepalive = { pingMs: 200, silentPings: 3 };

/** Creates a self-signed certificate and its key, both as PEM. */
export async function selfSigned(): Promise<{ cert: string; key: string }> {
  const now = Date.now();
  const { certificate, key } = await issueAuthority('phonebooth ingest', {
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + 86_400_000),
  });
  return { cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }) as string };
}

export const CERTIFICATE = await selfSigned();

export function openIngest(options: Partial<IngestOptions> = {}): Promise<IngestServer> {
  return IngestServer.open({ host: '127.0.0.1', port: 0, ...CERTIFICATE, log: silentLog, ...options });
}
