import type { Log } from '../util/log.ts';

const CHECK_INTERVAL_MS = 3_600_000;

interface Material {
  key: string;
  cert: string;
}

/**
 * Checks every hour whether the certificate must be renewed or an operator has replaced it. The server uses the new
 * certificate for new connections; open connections keep theirs.
 */
export function renewCertificates<M extends Material>(options: {
  current: M;
  read: () => Promise<M>;
  apply: (material: M) => void;
  log: Log;
}): Disposable {
  let { current } = options;
  const renewIfChanged = async () => {
    try {
      const next = await options.read();
      if (next.cert === current.cert && next.key === current.key) return;
      options.apply(next);
      current = next;
      options.log.info({}, 'TLS certificate renewed');
    } catch (error) {
      options.log.error({ err: error }, 'TLS certificate could not be renewed; retrying');
    }
  };
  const timer = setInterval(() => void renewIfChanged(), CHECK_INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
