/** The peer of the gateways: a bare `ws` server that answers every message with a text of fixed size. */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { answerParent } from './child.ts';

async function open(options: { sessions: number; answerBytes: number }) {
  const answer = 'x'.repeat(options.answerBytes);
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    backlog: 4096,
    perMessageDeflate: false,
    clientTracking: false,
  });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', () => socket.send(answer));
  });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, paths: Array(options.sessions).fill('/') };
}

answerParent({ open });
