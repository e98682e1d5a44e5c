import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { runInTime } from '../../../util/deadline.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError, readAndClose, readExactly, readText } from '../adb/adb-socket.ts';

/** Maximum number of reverse tunnels of one adb tunnel. */
const MAX_REVERSES = 32;
/** Maximum number of connections that may wait at one reverse tunnel. */
const MAX_CONNECTIONS = 64;
const ANSWER_TIMEOUT_MS = 5_000;

interface Reverse {
  /**
   * `local` is the address on the phone where the reverse tunnel begins; the next field is its target at the other
   * end of the adb tunnel.
   */
  local: string;
  target: string;
  server: Server;
}

/**
 * `adb reverse` through a tunnel. The phone's daemon can only connect back to the host's adb server, which would
 * connect to a port of the host. The host therefore listens at a separate port for each reverse tunnel, makes the
 * phone connect there, and forwards the connections through the tunnel as if they came directly from the phone. The
 * answers follow AOSP adb.cpp, handle_forward_request.
 */
export class ReverseTunnels {
  onConnection: (target: string, socket: Socket) => void = (_target, socket) => socket.destroy();
  readonly #device: AdbDevice;
  readonly #reverses = new Map<string, Reverse>();
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor(device: AdbDevice) {
    this.#device = device;
  }

  /** Performs a request (the text after `reverse:`) and returns its answer. */
  async answer(request: string, signal: AbortSignal): Promise<string> {
    try {
      if (request === 'list-forward') return protocolText(this.#list());
      if (request === 'killforward-all') {
        await this.#removeAll(signal);
        return 'OKAY';
      }
      const local = /^killforward:(.+)$/s.exec(request)?.[1];
      if (local !== undefined) return await this.#remove(local, signal);
      const [, option = '', from, to] = /^forward:(norebind:)?([^;]+);([^;]+)$/s.exec(request) ?? [];
      if (from === undefined || to === undefined) return failure(`unknown reverse request ${request}`);
      return await this.#add(option, from, to, signal);
    } catch (error) {
      if (!(error instanceof AdbError)) throw error;
      return failure(error.message);
    }
  }

  /** Removes all reverse tunnels. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    await this.#removeAll(AbortSignal.timeout(ANSWER_TIMEOUT_MS)).catch(() => {});
  }

  #list(): string {
    return [...this.#reverses.values()].map(({ local, target }) => `(reverse) ${local} ${target}\n`).join('');
  }

  async #add(option: string, local: string, target: string, signal: AbortSignal): Promise<string> {
    if (!this.#device.isServerHere)
      return failure(
        'the adb server of this phone runs on another machine than its host, so reverse tunnels are not ' +
          'possible',
      );
    if (this.#reverses.size >= MAX_REVERSES)
      return failure(
        `the session has reached its limit of ${MAX_REVERSES} reverse tunnels; remove one first`,
      );
    const server = await this.#listen(target);
    try {
      const { port } = server.address() as AddressInfo;
      const answered = await this.#request(`forward:${option}${local};tcp:${port}`, signal);
      const chosen = local === 'tcp:0' && answered !== '' ? `tcp:${answered}` : local;
      this.#reverses.get(chosen)?.server.close();
      this.#reverses.set(chosen, { local: chosen, target, server });
      if (this.#isClosed) await this.#remove(chosen, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
      return answered === '' ? 'OKAY' : `OKAY${protocolText(answered)}`;
    } catch (error) {
      server.close();
      throw error;
    }
  }

  async #listen(target: string): Promise<Server> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.onConnection(target, socket);
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  async #remove(local: string, signal: AbortSignal): Promise<string> {
    const reverse = this.#reverses.get(local);
    if (!reverse) return failure(`listener '${local}' not found`);
    this.#reverses.delete(local);
    reverse.server.close();
    await this.#request(`killforward:${local}`, signal);
    return 'OKAY';
  }

  async #removeAll(signal: AbortSignal): Promise<void> {
    for (const local of [...this.#reverses.keys()]) await this.#remove(local, signal);
  }

  /** Returns the port that the phone chose, or an empty text. @throws AdbError with the phone's message */
  async #request(request: string, signal: AbortSignal): Promise<string> {
    const read = async (socket: Socket) => {
      const status = (await readExactly(socket, 4)).toString('latin1');
      if (status !== 'OKAY') throw new AdbError(await readText(socket));
      return request.includes('tcp:0;') ? await readText(socket) : '';
    };
    return runInTime(ANSWER_TIMEOUT_MS, signal, async (inTime) =>
      readAndClose(await this.#device.open(`reverse:${request}`, inTime), read, inTime),
    );
  }
}

const protocolText = (text: string) => `${Buffer.byteLength(text).toString(16).padStart(4, '0')}${text}`;
const failure = (message: string) => `FAIL${protocolText(message)}`;
