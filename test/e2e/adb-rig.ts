import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Api, type Device, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';
import { end, type Launched, launch } from '../fixtures/process.ts';
import { scrcpyServerFile } from '../fixtures/scrcpy-server-file.ts';
import { type Service, startService } from '../fixtures/service.ts';

const ADB_TIMEOUT_MS = 30_000;
const MINUTES = 10;

export interface AdbResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** `phonebooth adb`, as a process. */
export class Tunnel {
  readonly address: string;
  readonly launched: Launched;

  private constructor(launched: Launched, address: string) {
    this.launched = launched;
    this.address = address;
  }

  static async open(service: Service, sessionId: string): Promise<Tunnel> {
    const launched = launch(['adb', sessionId, '--json'], {
      ...service.env,
      PHONEBOOTH_URL: service.httpOrigin,
    });
    const line = await until('the local port', () => {
      if (launched.child.exitCode !== null) throw new Error(launched.output());
      return /^(.+)\n/.exec(launched.stdout())?.[1];
    });
    return new Tunnel(launched, (JSON.parse(line) as { address: string }).address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.launched.child, 'SIGTERM');
  }
}

/** A double of a phone behind the adb server of its host, the service, and a developer's own adb server. */
export class AdbRig implements AsyncDisposable {
  readonly phones: Phones;
  readonly host: AdbServerProcess;
  readonly developer: AdbServerProcess;
  readonly phone: PhoneHandle;
  readonly service: Service;
  readonly api: Api;
  readonly ca: string;

  private constructor(
    parts: Pick<AdbRig, 'phones' | 'host' | 'developer' | 'phone' | 'service' | 'api' | 'ca'>,
  ) {
    this.phones = parts.phones;
    this.host = parts.host;
    this.developer = parts.developer;
    this.phone = parts.phone;
    this.service = parts.service;
    this.api = parts.api;
    this.ca = parts.ca;
  }

  static async start(settings: Record<string, string> = {}): Promise<AdbRig> {
    const phones = Phones.start();
    const [host, developer] = [await AdbServerProcess.start(), await AdbServerProcess.start()];
    const phone = await phones.add();
    await host.adb('connect', phone.address);
    const service = await startService({
      settings: {
        PHONEBOOTH_ADB: `127.0.0.1:${host.port}`,
        PHONEBOOTH_ALLOW_SHELL: 'on',
        PHONEBOOTH_SIMULATED_PHONES: '1',
        PHONEBOOTH_SCRCPY_SERVER: await scrcpyServerFile(),
        ...settings,
      },
    });
    const description = await Description.fetch(service.baseUrl, undefined);
    const api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
    const ca = readFileSync(service.caFile, 'utf8');
    return new AdbRig({ phones, host, developer, phone, service, api, ca });
  }

  /** Runs the developer's adb, with its own server; a command that fails is no error. */
  adb(...args: string[]): Promise<AdbResult> {
    const { promise, resolve } = Promise.withResolvers<AdbResult>();
    const options = { env: this.environment, timeout: ADB_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile('adb', args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
    return promise;
  }

  /** One that runs until it is stopped. */
  start(...args: string[]): { output(): string; stop(): Promise<void> } {
    const child = spawn('adb', args, { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return {
      output: () => output,
      stop: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'close');
        child.kill('SIGKILL');
        await exited;
      },
    };
  }

  /** The phone behind adb, or one of the simulated. */
  async borrow(kind: 'and' | 'sim' = 'and'): Promise<Session> {
    const device = await until(
      'the phone to be available',
      async () =>
        (await listAll(this.api, '&status=available')).find(({ id }: Device) => id.startsWith(kind)),
      { deadlineMs: 60_000 },
    );
    const body = { duration: MINUTES };
    return connected(
      this.api,
      succeeded(await this.api.post<Session>(`/devices/${device.id}/connect`, body)),
    );
  }

  async giveBack({ session_id }: Session): Promise<Session> {
    return succeeded(await this.api.post<Session>(`/sessions/${session_id}/disconnect`));
  }

  /** A tunnel that the developer's adb server has been told to connect to. */
  async connect(session: Session): Promise<Tunnel> {
    const tunnel = await Tunnel.open(this.service, session.session_id);
    await this.adb('connect', tunnel.address);
    await until('the phone to be online', async () => (await this.stateOf(tunnel)) === 'device');
    return tunnel;
  }

  /** What `adb devices` says of it; undefined: nothing. */
  async stateOf({ address }: { address: string }): Promise<string | undefined> {
    const { stdout } = await this.adb('devices');
    return stdout
      .split('\n')
      .find((line) => line.startsWith(`${address}\t`))
      ?.split('\t')[1];
  }

  async figure(name: string): Promise<number> {
    const text = await (await fetch(`${this.service.httpOrigin}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.developer[Symbol.asyncDispose]();
    await this.host[Symbol.asyncDispose]();
    await this.phones[Symbol.asyncDispose]();
  }

  private get environment(): NodeJS.ProcessEnv {
    return { ...process.env, ANDROID_ADB_SERVER_PORT: String(this.developer.port) };
  }
}
