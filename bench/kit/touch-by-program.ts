/**
 * Measures the time from a touch on the control socket to the packet with the resulting frame, for a program that
 * decodes nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { packetType } from '../../src/contract/sockets/stream-packets.ts';

const STILL_MS = 300;
const PRESS_MS = 150;
const DEADLINE_MS = 10_000;
/** The preamble, "h264", is shorter than any packet. */
const LEAST_PACKET_BYTES = 12;

export interface SessionAddresses {
  stream_url: string;
  control_url: string;
}

/** A program with both sockets of a session open. */
export class TouchProgram implements AsyncDisposable {
  private readonly control: WebSocket;
  private readonly stream: WebSocket;
  private lastId = 0;

  private constructor(control: WebSocket, stream: WebSocket) {
    this.control = control;
    this.stream = stream;
  }

  /** Opens both sockets and waits until the phone accepts commands. */
  static async open({ stream_url, control_url }: SessionAddresses, ca: Buffer): Promise<TouchProgram> {
    const options = { ca, perMessageDeflate: false, handshakeTimeout: DEADLINE_MS };
    const control = new WebSocket(control_url, options);
    const program = new TouchProgram(control, new WebSocket(stream_url, options));
    await Promise.all([
      program.nextMessage(control, (data) => data.includes('session.ready')),
      program.nextMessage(program.stream, isFrame),
    ]);
    return program;
  }

  /** @throws Error with the phone's answer if that is an error. */
  async call(method: string, params: object): Promise<void> {
    const answer = this.nextMessage(this.control, (data) => data.includes(`"id":${id}`));
    this.lastId += 1;
    const id = this.lastId;
    this.control.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const text = (await answer).toString();
    if (text.includes('"error"')) throw new Error(`${method}: ${text}`);
  }

  /**
   * Presses `presses` times on an unchanging screen. Returns the milliseconds from each touch to the packet with its
   * frame.
   */
  async press(presses: number): Promise<number[]> {
    const took: number[] = [];
    for (let n = 0; n < presses; n++) {
      const at = { pointer: 0, x: 0.2 + 0.06 * (n % 10), y: 0.3 + 0.04 * Math.floor(n / 10), pressure: 1 };
      await delay(STILL_MS);
      const frame = this.nextMessage(this.stream, isFrame);
      const start = performance.now();
      this.send('touch', { action: 'down', ...at });
      await frame;
      took.push(performance.now() - start);
      await delay(PRESS_MS);
      this.send('touch', { action: 'up', ...at });
    }
    return took;
  }

  private send(method: string, params: object): void {
    this.control.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  private nextMessage(socket: WebSocket, matches: (data: Buffer) => boolean): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const listen = (data: Buffer) => matches(data) && resolve(data);
    const closed = (code: number) => reject(new Error(`the socket was closed with ${code}`));
    const timer = setTimeout(reject, DEADLINE_MS, new Error(`no message within ${DEADLINE_MS} ms`));
    socket.on('message', listen).on('close', closed).on('error', reject);
    return promise.finally(() => {
      clearTimeout(timer);
      socket.off('message', listen).off('close', closed).off('error', reject);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.control.terminate();
    this.stream.terminate();
  }
}

function isFrame(packet: Buffer): boolean {
  if (packet.length < LEAST_PACKET_BYTES) return false;
  const type = packetType(packet);
  return type === 'keyframe' || type === 'delta';
}
