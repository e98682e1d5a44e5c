/** Clients that hold idle WebSockets open, in a separate process. */
import { WebSocket } from 'ws';
import { answerParent } from './child.ts';

const OPEN_DEADLINE_MS = 30_000;
const MESSAGE_DEADLINE_MS = 30_000;
/** Number of concurrent handshakes. */
const AT_ONCE = 50;

let sockets: WebSocket[] = [];

/** Opens the sockets. With `awaitMessage`, a socket counts as open when it has received its first message. */
async function open(options: { port: number; paths: string[]; awaitMessage: boolean }): Promise<number> {
  const paths = options.paths.values();
  const work = async () => {
    for (const path of paths) sockets.push(await openOne(`ws://127.0.0.1:${options.port}${path}`, options));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return sockets.length;
}

async function openOne(url: string, { awaitMessage }: { awaitMessage: boolean }): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: OPEN_DEADLINE_MS });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${url} sent no message`)), MESSAGE_DEADLINE_MS);
    socket.once(awaitMessage ? 'message' : 'open', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.on('error', reject);
  });
  return socket;
}

function close(): number {
  const open = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  for (const socket of sockets) socket.terminate();
  sockets = [];
  return open;
}

answerParent({ open, close });
