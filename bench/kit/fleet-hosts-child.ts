/** Hundreds of hosts that only send reports, each on its own connection to NATS, in a separate process. */
import { connectLightHost, LightHost } from '../../test/fixtures/light-agents.ts';
import { answerParent } from './child.ts';
import { quantile } from './report.ts';

const HEARTBEAT_MS = 2_000;
/** Connections opened at a time. The limit is needed because the server gives each two seconds to authenticate. */
const OPENING = 4;

export interface HostsOrder {
  natsUrl: string;
  credentials: string[];
  phonesPerHost: number;
  firstPhone: number;
}

/** Outcome of all reports since the previous call. Times are in milliseconds. */
export interface Reported {
  taken: number;
  unacknowledged: number;
  p50: number;
  p99: number;
}

const hosts: LightHost[] = [];

async function open({ natsUrl, credentials, phonesPerHost, firstPhone }: HostsOrder): Promise<void> {
  const queue = credentials.entries();
  const openNext = async () => {
    for (const [n, credential] of queue) {
      const connection = await connectLightHost(natsUrl, credential);
      const phones = { phones: phonesPerHost, firstPhone: firstPhone + n * phonesPerHost };
      hosts.push(new LightHost({ ...connection, ...phones }, Math.random() * HEARTBEAT_MS));
    }
  };
  await Promise.all(Array.from({ length: OPENING }, openNext));
}

function takeCounts(): Reported {
  const counts = hosts.map((host) => host.takeCounts());
  const times = counts.flatMap(({ tookMs }) => tookMs);
  const sum = (of: 'taken' | 'unacknowledged') => counts.reduce((total, one) => total + one[of], 0);
  return {
    ...{ taken: sum('taken'), unacknowledged: sum('unacknowledged') },
    ...{ p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
  };
}

function setAlwaysComplete(value: boolean): void {
  for (const host of hosts) host.alwaysComplete = value;
}

answerParent({ open, takeCounts, setAlwaysComplete });
