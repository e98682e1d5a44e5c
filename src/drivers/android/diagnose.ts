import { silentLog } from '../../util/log.ts';
import { AdbDevice } from './adb/adb-device.ts';
import { type AdbServerAddress, openAdbSocket, readText } from './adb/adb-socket.ts';
import { parseDeviceList, type TrackedDevice } from './adb/device-tracker.ts';
import { findAdb, startServer } from './adb/server-program.ts';
import { permissionProblem } from './permissions.ts';
import { describePhone } from './phone-description.ts';
import { problemOf } from './phone-problems.ts';
import { loadScrcpyServer, SCRCPY_VERSION } from './scrcpy/server-file.ts';
import { lockProblem } from './screen-lock.ts';
import { phonesWithoutAdb } from './usb-phones.ts';

export interface DiagnoseOptions {
  address: AdbServerAddress;
  /** Whether the adb server is on this machine and may therefore be started. */
  mayStart: boolean;
  /** The value of the PATH environment variable. */
  path: string;
  dataDir: string;
  scrcpyServer: string | null;
  /** Folder in which this machine lists its USB devices. Default: Linux's own. */
  usbDevices?: string;
}

/** The result of one check. The message of a failure says what to do about it. */
export interface Check {
  ok: boolean;
  message: string;
}

const SERVER_TIMEOUT_MS = 5_000;
const PHONE_TIMEOUT_MS = 15_000;
const FILE_TIMEOUT_MS = 120_000;

/** Checks everything that an Android phone needs on this host. Never throws. */
export async function diagnose(options: DiagnoseOptions): Promise<Check[]> {
  const results: Check[] = [];
  const report = (ok: boolean, message: string) => void results.push({ ok, message });
  const devices = await checkAdb(options, report);
  await checkServerFile(options, report);
  const checks = (devices ?? []).map((device) => checkPhone(options.address, device));
  results.push(...(await Promise.all(checks)));
  const withoutAdb = await phonesWithoutAdb(options.usbDevices);
  for (const line of withoutAdb) report(false, line);
  if (devices?.length === 0 && withoutAdb.length === 0) {
    report(
      true,
      'no phone found: connect one with USB debugging turned on (Settings, About phone, tap Build number ' +
        'seven times; then Developer options, USB debugging). A phone on a charge-only cable is not ' +
        'detected: use a data cable',
    );
  }
  return results;
}

type Report = (ok: boolean, message: string) => void;

/** Returns null if no adb server answers. */
async function checkAdb(options: DiagnoseOptions, report: Report): Promise<TrackedDevice[] | null> {
  const { address, mayStart, path } = options;
  const program = await findAdb(path);
  if (program) report(true, `adb is at ${program}`);
  else if (mayStart) report(false, 'adb is not on the PATH: install it (Debian and Ubuntu: apt install adb)');
  if (program && mayStart) {
    const signal = AbortSignal.timeout(PHONE_TIMEOUT_MS);
    await startServer(program, address.port, signal).catch((error: Error) => report(false, error.message));
  }
  try {
    const version = Number.parseInt(await queryServer(address, 'host:version'), 16);
    report(true, `the adb server at ${address.host}:${address.port} answers (protocol version ${version})`);
    return parseDeviceList(await queryServer(address, 'host:devices-l'));
  } catch (error) {
    const where = `${address.host}:${address.port}`;
    const remedy = 'start it with adb start-server, or set PHONEBOOTH_ADB to the address of another one';
    report(false, `no adb server answers at ${where} (${(error as Error).message}): ${remedy}`);
    return null;
  }
}

async function queryServer(address: AdbServerAddress, service: string): Promise<string> {
  const socket = await openAdbSocket(address, [service], AbortSignal.timeout(SERVER_TIMEOUT_MS));
  const timer = setTimeout(() => socket.destroy(), SERVER_TIMEOUT_MS);
  try {
    return await readText(socket);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function checkServerFile({ dataDir, scrcpyServer }: DiagnoseOptions, report: Report): Promise<void> {
  try {
    const signal = AbortSignal.timeout(FILE_TIMEOUT_MS);
    await loadScrcpyServer({ dataDir, file: scrcpyServer, log: silentLog }, signal);
    report(true, `scrcpy-server v${SCRCPY_VERSION} is available and matches its checksum`);
  } catch (error) {
    report(false, (error as Error).message);
  }
}

async function checkPhone(
  address: AdbServerAddress,
  { serial, state, transport }: TrackedDevice,
): Promise<Check> {
  const problem = problemOf(state);
  if (problem) return { ok: false, message: `${serial}: ${problem}` };
  const device = new AdbDevice(address, serial);
  device.update(state, transport);
  try {
    const signal = AbortSignal.timeout(PHONE_TIMEOUT_MS);
    const { description } = await describePhone(device, signal);
    const locked = await lockProblem(device, signal);
    if (locked) return { ok: false, message: `${serial}: ${locked}` };
    const refused = await permissionProblem(device, description.brand, signal);
    if (refused) return { ok: false, message: `${serial}: ${refused}` };
    const { name, os_version, screen_size, resolution } = description;
    return { ok: true, message: `${serial}: ${name}, Android ${os_version}, ${screen_size}", ${resolution}` };
  } catch (error) {
    return { ok: false, message: `${serial}: ${(error as Error).message}` };
  }
}
