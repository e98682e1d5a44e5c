/** Both gateways, in a separate process, on a store of rows in memory. They accept links over the network. */

import { type SocketPurpose, socketToken } from '../../src/access/socket-token.ts';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { BusRequests } from '../../src/bus/messages.ts';
import { ControlGateway } from '../../src/control-gateway/control-gateway.ts';
import { AGENT_LINK_TIMING } from '../../src/gateway/agent-link.ts';
import { WebSocketListener } from '../../src/link/websocket-listener.ts';
import { StreamGateway } from '../../src/stream-gateway/stream-gateway.ts';
import { silentLog } from '../../src/util/log.ts';
import { serve } from '../../test/gateway/client.ts';
import { FakeStore } from '../../test/gateway/fake-store.ts';
import { openIngest } from '../../test/link/ingest-rig.ts';
import { answerParent } from './child.ts';

const TOKEN_KEY = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;

type DialRequest = BusRequests['host.dial']['request'];

/** Dial requests to the host by session, since the bench last collected them. The bench acts as the bus. */
const dials = new Map<string, DialRequest>();

async function open({ sessions }: { sessions: number }): Promise<{
  port: number;
  /** Paths of the stream sockets. */
  paths: string[];
  controls: string[];
}> {
  const [store, bus] = [new FakeStore(), new InProcessBus()];
  bus.serve('host.dial', 'h1', async (request) => {
    dials.set(`${request.sessionId} ${request.purpose}`, request);
    return {};
  });
  const ingest = await openIngest();
  const shared = (name: string) => ({
    ...{ store, bus, tokenKeys: TokenKeys.of(TOKEN_KEY), log: silentLog },
    links: new WebSocketListener(ingest, name, { log: silentLog }),
  });
  // Requests wait until the bench has delivered them to the host.
  const options = { lingerMs: 200, link: { ...AGENT_LINK_TIMING, attemptMs: 20_000 } };
  const stream = new StreamGateway({ ...shared('stream'), options });
  const control = new ControlGateway({
    ...shared('control'),
    recordAction: async () => {},
    maxDurationMinutes: 480,
    options: { ...options, rate: { perSecond: 1e9, burst: 1e9 } },
  });
  const rows = Array.from({ length: sessions }, (_, n) =>
    store.add({ id: `session-${n}`, remainingMs: HOUR_MS }),
  );
  const pathsTo = (purpose: SocketPurpose) =>
    rows.map(
      ({ id, epoch }) =>
        `/${purpose}/${socketToken(TOKEN_KEY, { purpose, sessionId: id, epoch, grantId: 'k1' })}/${id}`,
    );
  const { origin } = await serve({
    handleUpgrade: (request, socket, head) => {
      const gateway = request.url?.startsWith('/stream/') ? stream : control;
      gateway.handleUpgrade(request, socket, head);
    },
  });
  return { port: Number(new URL(origin).port), paths: pathsTo('stream'), controls: pathsTo('control') };
}

function takeDials(): DialRequest[] {
  const taken = [...dials.values()];
  dials.clear();
  return taken;
}

answerParent({ open, takeDials, pid: () => process.pid });
