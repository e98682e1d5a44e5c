import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { texts } from '../texts.ts';

/** Saves the phone's screen as a PNG file. */
export async function saveScreenshot(
  client: PhoneboothClient,
  sessionId: string,
  name: string,
): Promise<void> {
  const address = URL.createObjectURL(await client.screenshot(sessionId));
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const link = document.createElement('a');
  link.href = address;
  link.download = texts.session.screenshotName(name, time);
  link.click();
  // The download has its own hold on the picture once the click was handled.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
