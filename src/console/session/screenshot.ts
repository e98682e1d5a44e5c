import type { PhoneboothClient } from '../../client/phonebooth-client.ts';
import { fileNameNow, saveFile } from './save-file.ts';

/** Saves the phone's screen as a PNG file. */
export async function saveScreenshot(
  client: PhoneboothClient,
  sessionId: string,
  name: string,
): Promise<void> {
  saveFile(await client.screenshot(sessionId), fileNameNow(name, '.png'));
}
