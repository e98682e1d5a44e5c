/** The peer of the stream gateway: writes every packet to every TCP connection and does nothing else. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { answerParent } from './child.ts';
import { PacketSource, type SourceOptions } from './packet-source.ts';

const viewers = new Set<Socket>();
const source = new PacketSource((packet) => {
  for (const viewer of viewers) viewer.write(packet);
});

async function open(): Promise<{ port: number }> {
  const server = createServer({ noDelay: true }, (socket) => {
    viewers.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => viewers.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

answerParent({
  open,
  start: (options: SourceOptions) => source.start(options),
  stop: () => source.stop(),
});
