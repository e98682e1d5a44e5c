import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { Agent } from '../../src/agent/agent.ts';
import { Recordings, type RecordingsOptions } from '../../src/agent/recording/recordings.ts';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import type { BusRequests, LeaseOrder, PhoneOrder, RecordedArtifact } from '../../src/bus/messages.ts';
import type { RecordingEvent } from '../../src/contract/recording/recording-event.ts';
import { FileChannel } from '../../src/link/file-channel.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import type { Link } from '../../src/link/link.ts';
import { silentLog } from '../../src/util/log.ts';
import { AppSourceDouble, DriverDouble, PhoneDouble, type PhoneSessionDouble } from './phone-double.ts';

export const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 });

export const SESSION = { sessionId: 'session-1', epoch: 1 };
export const FOLDER = 'session-1.1';

type Recorded = BusRequests['control-plane.recorded']['request'];
type ArtifactResponse = BusRequests['control-plane.artifact']['response'];

interface Reply {
  type: string;
  id?: number;
  result?: unknown;
}

/** The control plane as the host of a recorded session sees it. It stores artifacts in memory. */
export class RecordingPlane {
  readonly bus = new InProcessBus();
  readonly links = new InProcessLinks();
  readonly artifacts = new Map<string, { facts: RecordedArtifact; content: Buffer }>();
  readonly recorded: Recorded[] = [];
  orders: PhoneOrder[] = [];
  requests = 0;
  /** Returns the response to a request for an artifact that is not uploaded. A test replaces it. */
  refuse: (artifact: RecordedArtifact) => ArtifactResponse | null = () => null;
  /** Called with each link of an artifact. Returns whether the test handles it. */
  intercept: (link: Link) => boolean = () => false;
  /** The control links, newest last. */
  readonly controls: Link[] = [];
  private readonly tickets = new Map<string, RecordedArtifact>();
  private readonly listener = this.links.listen('plane');

  constructor() {
    this.bus.serve('control-plane.report', ANY_ADDRESS, async ({ phones }) => {
      const ids = phones.map(({ description }) => description.id);
      return { orders: this.orders.filter(({ deviceId }) => ids.includes(deviceId)), reportAll: false };
    });
    this.bus.serve('control-plane.ended', ANY_ADDRESS, async () => ({}));
    this.bus.serve('control-plane.artifact', ANY_ADDRESS, async ({ artifact }) => this.take(artifact));
    this.bus.serve('control-plane.recorded', ANY_ADDRESS, async (request) => {
      this.recorded.push(request);
      return {};
    });
    this.listener.accept(
      () => true,
      (link) => {
        if (link.hello.purpose === 'control') this.controls.push(link);
        if (link.hello.purpose !== 'artifact') return;
        if (!this.intercept(link)) void this.receive(link);
      },
    );
  }

  /** The messages that arrived at the newest control link. */
  readonly replies: Reply[] = [];
  private calls = 0;

  /** Attaches a client to the controls of the phone. */
  async control(by?: { id: string; name: string }): Promise<Link> {
    await this.dial('control', by);
    const link = this.controls.at(-1)!;
    link.onMessage((message) => this.replies.push(JSON.parse(message as string)));
    return link;
  }

  /** Sends a call of the client that has control, and returns its reply. */
  async call(method: string, params: object = {}): Promise<Reply> {
    this.calls += 1;
    const id = this.calls;
    this.controls.at(-1)!.send(JSON.stringify({ type: 'call', id, method, params }));
    await until(() =>
      expect(
        this.replies.some((reply) => reply.id === id),
        `reply to ${method}`,
      ).toBe(true),
    );
    return this.replies.find((reply) => reply.id === id)!;
  }

  /** Sends a call of the API or of a WebDriver client. */
  beside(request: Partial<BusRequests['host.call']['request']>): Promise<unknown> {
    return this.bus.request('host.call', 'host-1', { ...SESSION, ...request }, { timeoutMs: 60_000 });
  }

  dial(purpose: 'stream' | 'control' | 'screenshot', by?: { id: string; name: string }): Promise<unknown> {
    const request = {
      ...SESSION,
      purpose,
      ingest: this.listener.ingest,
      ticket: 'ticket',
      ...(by && { by }),
    };
    return this.bus.request('host.dial', 'host-1', request, { timeoutMs: 60_000 });
  }

  order(lease: Partial<LeaseOrder> | null): Promise<unknown> {
    const full = lease && { ...SESSION, remainingMs: 600_000, app: null, ...lease };
    this.orders = [{ deviceId: 'phone-1', epoch: SESSION.epoch, cleanEpoch: null, lease: full }];
    return this.bus.request('host.orders', 'host-1', { orders: this.orders }, { timeoutMs: 60_000 });
  }

  /** The content of an artifact as text. */
  text(name: string): string {
    return this.artifacts.get(name)!.content.toString();
  }

  get events(): RecordingEvent[] {
    return linesOf(this.text('events.jsonl')) as RecordingEvent[];
  }

  private take(artifact: RecordedArtifact): ArtifactResponse {
    this.requests += 1;
    const refused = this.refuse(artifact);
    if (refused) return refused;
    if (this.artifacts.has(artifact.name)) return { isStored: true };
    const ticket = `ticket-${this.requests}`;
    this.tickets.set(ticket, artifact);
    return { ingest: this.listener.ingest, ticket };
  }

  private async receive(link: Link): Promise<void> {
    const channel = new FileChannel(link);
    const facts = this.tickets.get(link.hello.ticket)!;
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of channel.receiveBytes()) chunks.push(chunk);
    } catch {
      return;
    }
    const content = Buffer.concat(chunks);
    expect(content.length).toBe(facts.size);
    this.artifacts.set(facts.name, { facts, content });
    channel.send({ type: 'written', size: content.length, modifiedAt: null });
  }
}

export interface Rig {
  folder: string;
  plane: RecordingPlane;
  phone: PhoneDouble;
  agent: Agent;
  recordings: Recordings;
  /** What the phone of the current session does. */
  readonly session: PhoneSessionDouble;
}

export interface RigOptions extends Partial<RecordingsOptions> {
  plane?: RecordingPlane;
  prepare?: (phone: PhoneDouble) => void;
}

const resources: (() => unknown)[] = [];

/** Called after each test of the file. */
export async function closeRigs(): Promise<void> {
  for (const close of resources.splice(0).reverse()) await close();
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-recording-'));
  resources.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a host with one phone that sends nothing by itself. */
export async function startRig({ prepare, ...options }: RigOptions = {}): Promise<Rig> {
  const folder = options.folder ?? (await temporaryFolder());
  const plane = options.plane ?? new RecordingPlane();
  const phone = new PhoneDouble();
  phone.sends = false;
  prepare?.(phone);
  const recordings = await Recordings.open({
    ...{ hostId: 'host-1', folder, bus: plane.bus, links: plane.links, log: silentLog },
    ...{ maxBytes: 1024 ** 3, reserveBytes: 0, retryMs: 10, ...options },
  });
  const agent = new Agent({
    ...{ hostId: 'host-1', hostName: 'shelf', bus: plane.bus, links: plane.links, recordings },
    ...{ drivers: [new DriverDouble([phone])], apps: new AppSourceDouble(), log: silentLog },
    ...{ idleTimeoutMs: 0, heartbeatMs: 20 },
  });
  let closed: Promise<void> | null = null;
  const close = async () => (closed ??= agent[Symbol.asyncDispose]());
  resources.push(close);
  await agent.start();
  return {
    ...{ folder, plane, phone, recordings },
    agent: new Proxy(agent, {
      get: (target, name) => (name === Symbol.asyncDispose ? close : Reflect.get(target, name, target)),
    }),
    get session() {
      return phone.session!;
    },
  };
}

/** Orders a recorded lease and resolves when its phone is open. */
export async function beginLease(
  rig: Rig,
  recording: Partial<NonNullable<LeaseOrder['recording']>> = {},
): Promise<void> {
  const opened = rig.phone.opened;
  await rig.plane.order({ recording: { text: false, maxBytes: null, ...recording } });
  await until(() => expect(rig.phone.opened).toBe(opened + 1));
  await until(() => expect(rig.phone.session).not.toBe(null));
}

/** Ends the lease and resolves when its recording is uploaded. */
export async function endLease(rig: Rig): Promise<void> {
  await rig.plane.order(null);
  await until(() => expect(rig.plane.recorded.length).toBeGreaterThan(0));
  await until(async () => expect(await readdir(rig.folder)).toEqual([]));
}

/**
 * The hash of each picture of a video or a raw stream. The time base is finer than the frames of a phone, which may be
 * close together.
 */
export function pictureHashes(
  content: Uint8Array,
  { width, height }: { width: number; height: number },
): string[] {
  const { stdout, stderr, status } = spawnSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-i',
      'pipe:0',
      '-fps_mode',
      'passthrough',
      '-enc_time_base',
      '1:1000000',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'yuv420p',
      'pipe:1',
    ],
    { input: content, maxBuffer: 1 << 30 },
  );
  if (status !== 0 || stderr.length > 0) throw new Error(`ffmpeg exited with ${status}: ${stderr}`);
  const size = (width * height * 3) / 2;
  return Array.from({ length: stdout.length / size }, (_, at) =>
    createHash('sha256')
      .update(stdout.subarray(at * size, (at + 1) * size))
      .digest('hex'),
  );
}

export const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** The contents of all files below a folder. */
export async function allContent(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
  );
  return contents.join('\n');
}
