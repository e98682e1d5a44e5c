import { type Image, loadImage } from '@napi-rs/canvas';
import type { SimulatedDevice } from './simulated-device.ts';
import type { Clock } from './ui/clock.ts';
import type { InstalledPackage } from './worker-messages.ts';

/**
 * Duration of one step of an install. The whole install takes about as long as that of a small app on a real phone,
 * so that its progress is visible.
 */
const STEP_MS = 40;
const STEPS = [20, 40, 60, 80];

interface InstallContext {
  device: SimulatedDevice;
  clock: Clock;
  signal: AbortSignal;
  onProgress(percent: number): void;
}

/**
 * Installs an app on a simulated phone.
 * @throws DriverError when a real phone would reject the app, or the signal's reason.
 */
export async function install(
  app: InstalledPackage,
  { device, clock, signal, onProgress }: InstallContext,
): Promise<null> {
  const image = app.icon === null ? null : await decodeIcon(app.icon);
  for (const percent of STEPS) {
    await pause(clock, signal);
    onProgress(percent);
  }
  signal.throwIfAborted();
  device.install(app, image);
  onProgress(100);
  return null;
}

/** An icon that cannot be decoded does not make the install fail. */
async function decodeIcon(icon: Uint8Array): Promise<Image | null> {
  try {
    return await loadImage(Buffer.from(icon));
  } catch {
    return null;
  }
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(STEP_MS, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
