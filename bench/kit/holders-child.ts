/** Clients that hold WebSockets open and do nothing, in a process of their own. */
import { WebSocket } from 'ws';
import { answerParent } from './child.ts';

const OPEN_DEADLINE_MS = 30_000;
const MESSAGE_DEADLINE_MS = 30_000;
/** Handshakes under way at once. */
const AT_ONCE = 50;

let sockets: WebSocket[] = [];

/** `awaitMessage`: each socket counts as open when it has been told something. */
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
    const timer = setTimeout(() => reject(new Error(`${url} said nothing`)), MESSAGE_DEADLINE_MS);
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
