import { type Image, loadImage } from '@napi-rs/canvas';
import type { SimulatedDevice } from './simulated-device.ts';
import type { Clock } from './ui/clock.ts';
import type { InstalledPackage } from './worker-messages.ts';

/** A small app takes a phone about this long; whoever watches sees it come. */
const STEP_MS = 40;
const STEPS = [20, 40, 60, 80];

interface InstallContext {
  device: SimulatedDevice;
  clock: Clock;
  signal: AbortSignal;
  onProgress(percent: number): void;
}

/** Puts an app on a phone in software. @throws DriverError as a phone refuses it, or what the signal was aborted with. */
export async function install(
  app: InstalledPackage,
  { device, clock, signal, onProgress }: InstallContext,
): Promise<null> {
  const picture = app.icon === null ? null : await pictureOf(app.icon);
  for (const percent of STEPS) {
    await pause(clock, signal);
    onProgress(percent);
  }
  signal.throwIfAborted();
  device.install(app, picture);
  onProgress(100);
  return null;
}

/** An icon that cannot be decoded is no reason not to install. */
async function pictureOf(icon: Uint8Array): Promise<Image | null> {
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
