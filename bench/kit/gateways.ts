/** The two production gateways on a store of rows in memory, with hosts that dial when the bus asks them to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SocketPurpose, socketToken } from '../../src/access/socket-token.ts';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { ControlGateway } from '../../src/control-gateway/control-gateway.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { Link } from '../../src/link/link.ts';
import { allowHeapGrowth } from '../../src/media/heap-growth.ts';
import { StreamGateway } from '../../src/stream-gateway/stream-gateway.ts';
import { silentLog } from '../../src/util/log.ts';
import { FakeStore } from '../../test/gateway/fake-store.ts';

const TOKEN_KEY = new Uint8Array(32).fill(7);

export interface Gateways {
  port: number;
  /** Adds a connected session and returns the paths of its two sockets. */
  addSession(id: string): Record<'stream' | 'control', string>;
}

/** Calls `onLink` with the phone's end of each link. All of it runs until the process exits. */
export async function openGateways(onLink: (link: Link) => void): Promise<Gateways> {
  allowHeapGrowth();
  const store = new FakeStore();
  const bus = new InProcessBus();
  const links = new InProcessLinks();
  const shared = { store, bus, tokenKeys: TokenKeys.of(TOKEN_KEY), log: silentLog };
  const stream = new StreamGateway({ ...shared, links: links.listen('stream') });
  const control = new ControlGateway({
    ...shared,
    links: links.listen('control'),
    recordAction: async () => {},
    maxDurationMinutes: 480,
    // The bench measures a round trip by making many calls. The rate limit protects phones and is not part of the
    // gateway's cost.
    options: { rate: { perSecond: 1e9, burst: 1e9 } },
  });
  bus.serve('host.dial', 'h1', async ({ ingest, ...hello }) => {
    onLink(await links.dial(ingest, hello));
    return {};
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const gateway = request.url?.startsWith('/stream/') ? stream : control;
    gateway.handleUpgrade(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    addSession: (id) => {
      const { epoch } = store.add({ id, remainingMs: 3_600_000 });
      const path = (purpose: SocketPurpose) =>
        `/${purpose}/${socketToken(TOKEN_KEY, { purpose, sessionId: id, epoch, grantId: 'k1' })}/${id}`;
      return { stream: path('stream'), control: path('control') };
    },
  };
}
