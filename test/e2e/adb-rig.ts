import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, type Device, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { type Opened, openSocket } from '../black-box/kit/socket.ts';
import { until } from '../black-box/kit/wait.ts';
import { saveAppiumDouble } from '../fixtures/appium-double.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';
import { scrcpyServerFile } from '../fixtures/scrcpy-server-file.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { type AdbResult, Developer, Tunnel } from './developer.ts';

const MINUTES = 10;

/** Connects to the phone behind adb, or to one of the simulated phones, and waits until the session is connected. */
export async function borrow(api: Api, kind: 'and' | 'sim' = 'and'): Promise<Session> {
  const isWanted = ({ id }: Device) => id.startsWith(kind);
  const device = await until('the phone to be available', async () =>
    (await listAll(api, '&status=available')).find(isWanted),
  );
  const body = { duration: MINUTES };
  return connected(api, succeeded(await api.post<Session>(`/devices/${device.id}/connect`, body)));
}

/**
 * Opens an adb socket of a session. Waits while the host cannot open one, because its adb server is busy or is being
 * restarted.
 */
export function openAdbSocket(
  { ca }: Pick<AdbRig, 'ca'>,
  { adb_url }: Session,
  onMessage: (data: Buffer) => void = () => {},
): Promise<Opened> {
  return until('the host to open an adb connection', () =>
    openSocket(adb_url, { ca }, onMessage).catch((error: Error) => {
      if (!error.message.endsWith('409')) throw error;
      return undefined;
    }),
  );
}

/** A phone double behind its host's adb server, the service, and a developer with a separate adb server. */
export class AdbRig implements AsyncDisposable {
  readonly host: AdbServerProcess;
  readonly developer: Developer;
  readonly phone: PhoneHandle;
  readonly service: Service;
  readonly api: Api;
  readonly ca: string;
  readonly #opened: AsyncDisposableStack;

  private constructor(
    parts: Pick<AdbRig, 'host' | 'developer' | 'phone' | 'service' | 'api' | 'ca'>,
    opened: AsyncDisposableStack,
  ) {
    this.host = parts.host;
    this.developer = parts.developer;
    this.phone = parts.phone;
    this.service = parts.service;
    this.api = parts.api;
    this.ca = parts.ca;
    this.#opened = opened;
  }

  static async start(): Promise<AdbRig> {
    await using opened = new AsyncDisposableStack();
    const phones = opened.use(Phones.start());
    const host = opened.use(await AdbServerProcess.start());
    const developer = opened.use(await Developer.start());
    const phone = await phones.add();
    await host.adb('connect', phone.address);
    const folder = await mkdtemp(join(tmpdir(), 'phonebooth-adb-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const appium = await saveAppiumDouble(folder);
    const settings = {
      PHONEBOOTH_ADB: `127.0.0.1:${host.port}`,
      PHONEBOOTH_ALLOW_SHELL: 'on',
      PHONEBOOTH_APPIUM: appium,
      PHONEBOOTH_SIMULATED_PHONES: '1',
      PHONEBOOTH_ANDROID_MAX_SIZE: '640',
      PHONEBOOTH_SCRCPY_SERVER: await scrcpyServerFile(),
    };
    const service = opened.use(await startService({ settings }));
    const description = await Description.fetch(service.baseUrl, undefined);
    const api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
    const ca = readFileSync(service.caFile, 'utf8');
    return new AdbRig({ host, developer, phone, service, api, ca }, opened.move());
  }

  /** Environment with which the `phonebooth` command connects to the service. */
  get environment(): Record<string, string> {
    return { ...this.service.env, PHONEBOOTH_URL: this.service.httpOrigin };
  }

  /** Runs the developer's adb. */
  adb(...args: string[]): Promise<AdbResult> {
    return this.developer.adb(...args);
  }

  borrow(kind?: 'and' | 'sim'): Promise<Session> {
    return borrow(this.api, kind);
  }

  async endSession({ session_id }: Session): Promise<Session> {
    return succeeded(await this.api.post<Session>(`/sessions/${session_id}/disconnect`));
  }

  open({ session_id }: Session): Promise<Tunnel> {
    return Tunnel.open(this.environment, session_id);
  }

  /** Opens a tunnel and tells the developer's adb server to connect to it. */
  async connect(session: Session): Promise<Tunnel> {
    const tunnel = await this.open(session);
    await this.developer.connect(tunnel);
    return tunnel;
  }

  async figure(name: string): Promise<number> {
    const text = await (await fetch(`${this.service.httpOrigin}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
