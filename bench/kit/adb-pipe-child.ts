/**
 * The peer of the Android bench: writes each phone's video socket, as the adb server delivers it, to plain TCP
 * connections.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AdbError, openAdbSocket, readExactly } from '../../src/drivers/android/adb/adb-socket.ts';
import { pushFile } from '../../src/drivers/android/adb/push-file.ts';
import { answerParent } from './child.ts';
import { takeCollections } from './garbage.ts';

/** An adb server on this machine, and a folder with a file named `scrcpy-server`. */
export interface AdbHost {
  adbPort: number;
  folder: string;
}

const SERVER_PATH = '/data/local/tmp/scrcpy-server-bench';
const OPEN_DEADLINE_MS = 60_000;
const CONNECT_ATTEMPTS = 100;
/** Bytes that precede the packets: the phone's name (64 bytes), then the codec and the size (12 bytes). */
const PREAMBLE_BYTES = 76;
const PACKET_HEADER_BYTES = 12;

let host: AdbHost;
let opened: { sockets: Socket[]; servers: Server[] } = { sockets: [], servers: [] };
let lives = 0;

function open(options: AdbHost): void {
  host = options;
}

/** Opens the video of these phones and returns a port for each. No video flows before `flow` is called. */
async function start({ serials }: { serials: string[] }): Promise<{ port: number }[]> {
  return Promise.all(serials.map(openPhone));
}

async function openPhone(serial: string): Promise<{ port: number }> {
  const video = await openVideo(serial, AbortSignal.timeout(OPEN_DEADLINE_MS));
  const viewers = new Set<Socket>();
  video.on('data', (chunk) => {
    for (const viewer of viewers) viewer.write(chunk);
  });
  video.pause();
  const server = createServer({ noDelay: true }, (socket) => {
    viewers.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => viewers.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.servers.push(server);
  opened.sockets.unshift(video);
  return { port: (server.address() as AddressInfo).port };
}

/** Starts scrcpy's server and returns its video socket, paused at the start of the first frame. */
async function openVideo(serial: string, signal: AbortSignal): Promise<Socket> {
  const service = async (name: string) => {
    const address = { host: '127.0.0.1', port: host.adbPort };
    const socket = await openAdbSocket(address, [`host:transport:${serial}`, name], signal);
    opened.sockets.push(socket);
    return socket;
  };
  await pushFile(await service('sync:'), SERVER_PATH, await readFile(join(host.folder, 'scrcpy-server')));
  lives += 1;
  const scid = lives.toString(16).padStart(8, '0');
  const settings = `scid=${scid} audio=false tunnel_forward=true cleanup=false max_size=800`;
  const main = `app_process / com.genymobile.scrcpy.Server 3.3.3 ${settings}`;
  (await service(`shell,v2,raw:CLASSPATH=${SERVER_PATH} ${main}`)).resume();
  const video = await listening(() => service(`localabstract:scrcpy_${scid}`));
  (await service(`localabstract:scrcpy_${scid}`)).resume();
  await readExactly(video, PREAMBLE_BYTES);
  const config = await readExactly(video, PACKET_HEADER_BYTES);
  await readExactly(video, config.readUInt32BE(8));
  return video;
}

/**
 * Retries until a socket delivers its first byte, which proves that scrcpy's server is listening. Returns that
 * socket.
 */
async function listening(connect: () => Promise<Socket>): Promise<Socket> {
  for (let attempt = 1; ; attempt++) {
    try {
      const socket = await connect();
      await readExactly(socket, 1);
      return socket;
    } catch (error) {
      if (!(error instanceof AdbError) || attempt === CONNECT_ATTEMPTS) throw error;
      await delay(20);
    }
  }
}

function flow(): void {
  for (const socket of opened.sockets) socket.resume();
}

function stop(): void {
  for (const server of opened.servers) server.close();
  for (const socket of opened.sockets) socket.destroy();
  opened = { sockets: [], servers: [] };
}

answerParent({ open, start, flow, stop, takeCollections });
