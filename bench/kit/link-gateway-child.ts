/** A stream gateway that takes its links in over the network, in a process of its own, on a store of rows in memory. */
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { BusRequests } from '../../src/bus/messages.ts';
import { AGENT_LINK_TIMING } from '../../src/gateway/agent-link.ts';
import { WebSocketListener } from '../../src/link/websocket-listener.ts';
import { StreamGateway } from '../../src/stream-gateway/stream-gateway.ts';
import { silentLog } from '../../src/util/log.ts';
import { socketToken } from '../../src/util/socket-token.ts';
import { serve } from '../../test/gateway/client.ts';
import { FakeStore } from '../../test/gateway/fake-store.ts';
import { openIngest } from '../../test/link/ingest-rig.ts';
import { answerParent } from './child.ts';

const TOKEN_KEY = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;

type DialRequest = BusRequests['host.dial']['request'];

/** What the host was asked to dial for each session since the bench last took it: the bench is the bus. */
const dials = new Map<string, DialRequest>();

async function open({ sessions }: { sessions: number }): Promise<{ port: number; paths: string[] }> {
  const [store, bus] = [new FakeStore(), new InProcessBus()];
  bus.serve('host.dial', 'h1', async (request) => {
    dials.set(request.sessionId, request);
    return {};
  });
  const gateway = new StreamGateway({
    store,
    bus,
    links: new WebSocketListener(await openIngest(), 'stream', { log: silentLog }),
    tokenKey: TOKEN_KEY,
    log: silentLog,
    // Requests wait until the bench has come round to them.
    options: { lingerMs: 200, link: { ...AGENT_LINK_TIMING, attemptMs: 20_000 } },
  });
  const paths = Array.from({ length: sessions }, (_, n) => {
    const { id, epoch } = store.add({ id: `session-${n}`, remainingMs: HOUR_MS });
    return `/stream/${socketToken(TOKEN_KEY, 'stream', id, epoch)}/${id}`;
  });
  const { origin } = await serve(gateway);
  return { port: Number(new URL(origin).port), paths };
}

function takeDials(): DialRequest[] {
  const taken = [...dials.values()];
  dials.clear();
  return taken;
}

answerParent({ open, takeDials, pid: () => process.pid });
