import type { Duplex } from 'node:stream';
import type { PhoneAdb } from '../../drivers/driver.ts';
import {
  type AdbMessage,
  AdbMessageReader,
  AdbProtocolError,
  CLSE,
  CNXN,
  encodeMessage,
  MAX_PAYLOAD,
  MIN_PAYLOAD,
  MIN_VERSION,
  OKAY,
  OPEN,
  VERSION,
  WRTE,
} from './adb-message.ts';
import { AdbStream, type StreamSender } from './adb-stream.ts';

/**
 * Maximum number of streams of one connection, including those that are being opened or flushed. Android Studio has
 * about forty.
 */
export const MAX_STREAMS = 128;
/**
 * Maximum number of services that the phone is asked to open at once. Others wait in a queue, so that no tunnel
 * floods the adb server.
 */
const MAX_OPENING = 8;
/**
 * A phone whose connection to its host is busy with the data of other streams answers late. adb itself waits without
 * a limit.
 */
const OPEN_TIMEOUT_MS = 30_000;
const NOTHING = Buffer.alloc(0);

export interface AdbDaemonOptions {
  phone: PhoneAdb;
  send(bytes: Uint8Array): void;
}

/**
 * The daemon's end of an adb server's connection. The streams that the adb server opens lead to the phone's services.
 * There is no AUTH step, because the client has already presented the session's token.
 */
export class AdbDaemon implements StreamSender {
  maxPayload = MIN_PAYLOAD;
  readonly #options: AdbDaemonOptions;
  readonly #reader = new AdbMessageReader();
  readonly #closing = new AbortController();
  readonly #streams = new Map<number, AdbStream>();
  #waiting: { stream: AdbStream; service: string }[] = [];
  #opening = 0;
  #lastId = 0;
  #isOnline = false;

  constructor(options: AdbDaemonOptions) {
    this.#options = options;
    options.phone.onConnection((target, phone) => this.#callBack(target, phone));
  }

  get streams(): number {
    return this.#streams.size;
  }

  /** @throws AdbProtocolError when the connection cannot be used any more */
  take(bytes: Uint8Array): void {
    for (const message of this.#reader.push(bytes)) {
      if (this.#closing.signal.aborted) return;
      this.#handle(message);
    }
  }

  /** Closes every stream. */
  close(): void {
    this.#closing.abort();
    this.#waiting = [];
    for (const stream of [...this.#streams.values()]) stream.destroy();
    this.#streams.clear();
  }

  sendOkay(stream: AdbStream): void {
    this.#send(OKAY, stream.localId, stream.remoteId);
  }

  sendWrite(stream: AdbStream, payload: Buffer): void {
    this.#send(WRTE, stream.localId, stream.remoteId, payload);
  }

  sendClose(stream: AdbStream): void {
    if (stream.remoteId !== 0) this.#send(CLSE, stream.localId, stream.remoteId);
  }

  onGone(stream: AdbStream): void {
    this.#streams.delete(stream.localId);
  }

  #handle(message: AdbMessage): void {
    const { command, arg0, arg1, payload } = message;
    if (command === CNXN) this.#connect(arg0, arg1);
    else if (!this.#isOnline) throw new AdbProtocolError('the first message must be CNXN');
    else if (command === OPEN) this.#open(arg0, payload);
    else if (command === OKAY) this.#acknowledge(arg0, arg1);
    else if (command === WRTE) this.#write(arg0, arg1, payload);
    else if (command === CLSE) this.#close(arg0, arg1);
    else throw new AdbProtocolError('unsupported adb command');
  }

  #connect(version: number, maxPayload: number): void {
    if (this.#isOnline) throw new AdbProtocolError('duplicate CNXN');
    if (version < MIN_VERSION || maxPayload < MIN_PAYLOAD)
      throw new AdbProtocolError('CNXN with an unsupported version or payload size');
    this.#isOnline = true;
    this.#reader.version = Math.min(version, VERSION);
    this.maxPayload = Math.min(maxPayload, MAX_PAYLOAD);
    this.#send(CNXN, this.#reader.version, MAX_PAYLOAD, Buffer.from(this.#options.phone.banner));
  }

  #open(remoteId: number, payload: Buffer): void {
    if (remoteId === 0) throw new AdbProtocolError('OPEN without a stream id');
    // Streams that were closed while they waited are still in the queue, so its length counts too.
    if (Math.max(this.#streams.size, this.#waiting.length) >= MAX_STREAMS) {
      this.#send(CLSE, 0, remoteId);
      return;
    }
    const stream = this.#add(remoteId);
    const length = payload.at(-1) === 0 ? payload.length - 1 : payload.length;
    this.#waiting.push({ stream, service: payload.toString('utf8', 0, length) });
    this.#openNext();
  }

  #add(remoteId: number): AdbStream {
    this.#lastId = (this.#lastId % 0xffff_ffff) + 1;
    const stream = new AdbStream(this, this.#lastId, remoteId);
    this.#streams.set(stream.localId, stream);
    return stream;
  }

  #openNext(): void {
    while (this.#opening < MAX_OPENING && this.#waiting.length > 0) {
      const { stream, service } = this.#waiting.shift()!;
      if (stream.isClosed) continue;
      this.#opening += 1;
      void this.#openOne(stream, service).finally(() => {
        this.#opening -= 1;
        this.#openNext();
      });
    }
  }

  /**
   * If the phone does not have the service, or must not offer it, the stream is closed without a reason, because the
   * adb protocol cannot carry one.
   */
  async #openOne(stream: AdbStream, service: string): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
    try {
      const phone = await this.#options.phone.open(service, { signal });
      stream.join(phone);
      if (stream.isClosed) return;
      this.sendOkay(stream);
      stream.pump();
    } catch {
      if (stream.isClosed) return;
      this.#send(CLSE, 0, stream.remoteId);
      stream.destroy();
    }
  }

  /** Something on the phone connected to the phone's end of a reverse tunnel. */
  #callBack(target: string, phone: Duplex): void {
    if (this.#closing.signal.aborted || !this.#isOnline || this.#streams.size >= MAX_STREAMS) {
      phone.destroy();
      return;
    }
    const stream = this.#add(0);
    stream.join(phone);
    this.#send(OPEN, stream.localId, 0, Buffer.from(`${target}\0`));
  }

  #acknowledge(remoteId: number, localId: number): void {
    if (remoteId === 0) return;
    const stream = this.#streams.get(localId);
    // The phone closed the stream before the other end answered; without a CLSE the other end would wait for data.
    if (!stream) {
      this.#send(CLSE, localId, remoteId);
      return;
    }
    if (stream.remoteId === 0) stream.remoteId = remoteId;
    if (stream.remoteId === remoteId) stream.acknowledged();
  }

  /** A message for a stream that no longer exists was already in flight when the stream closed, and is ignored. */
  #write(remoteId: number, localId: number, payload: Buffer): void {
    const stream = this.#streams.get(localId);
    if (!stream?.isOpen || stream.remoteId !== remoteId) return;
    if (!stream.write(payload))
      throw new AdbProtocolError('WRTE before the previous one was acknowledged with OKAY');
  }

  #close(remoteId: number, localId: number): void {
    const stream =
      localId === 0
        ? [...this.#streams.values()].find((one) => one.remoteId === remoteId && !one.isOpen)
        : this.#streams.get(localId);
    if (stream && (stream.remoteId === 0 || remoteId === 0 || stream.remoteId === remoteId))
      stream.closedByPeer();
  }

  #send(command: number, arg0: number, arg1: number, payload: Buffer = NOTHING): void {
    if (this.#closing.signal.aborted) return;
    this.#options.send(encodeMessage({ command, arg0, arg1, payload }, this.#reader.version));
  }
}
