import type { AdbDevice } from '../adb/adb-device.ts';
import { serverLine } from './run.ts';

const LIST_TIMEOUT_MS = 10_000;
/** If this many encoders fail, the cause is likely another one, and trying more would delay the session's start. */
const MAX_ENCODERS = 4;

/** The phone's H.264 encoders, hardware encoders first. @throws AdbError */
export async function listEncoders(device: AdbDevice, path: string, signal: AbortSignal): Promise<string[]> {
  const line = serverLine(path, [
    ['list_encoders', 'true'],
    ['cleanup', 'false'],
  ]);
  const { stdout, stderr } = await device.shell(line, { signal, timeoutMs: LIST_TIMEOUT_MS });
  return parseEncoders(stdout.toString('utf8') + stderr).slice(0, MAX_ENCODERS);
}

/**
 * Parses lines such as `    --video-codec=h264 --video-encoder=c2.qti.avc.encoder   (hw) [vendor]` (scrcpy
 * LogUtils.java).
 */
export function parseEncoders(text: string): string[] {
  const found = text.split('\n').flatMap((line) => {
    const [, name, software] =
      /--video-codec=h264 --video-encoder='?([\w.-]+)'?[ \t]*(\(sw\))?/.exec(line) ?? [];
    return name === undefined || line.includes('alias for') ? [] : [{ name, rank: software ? 1 : 0 }];
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ name }) => name);
}
