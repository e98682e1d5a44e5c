import { shellLine } from '../adb/quote.ts';
import { type PhoneContext, runCommand } from './phone-context.ts';

/** Android 12, the first version whose shell can set a location. */
export const LOCATION_SDK = 31;

/** Adds a test provider that replaces GPS. Source: AOSP LocationShellCommand.java. */
export async function setLocation(
  phone: PhoneContext,
  { lat, lng }: { lat: number; lng: number },
  signal: AbortSignal,
): Promise<void> {
  const ofShell = ['--user', phone.user, 'com.android.shell', 'android:mock_location'];
  const before = await runCommand(phone, shellLine('appops', 'get', ...ofShell), signal);
  await phone.journal.markLocation(/MOCK_LOCATION: ([a-z]+)/.exec(before)?.[1] ?? 'default');
  const provider = (verb: string, ...words: string[]) =>
    runCommand(phone, shellLine('cmd', 'location', 'providers', verb, 'gps', ...words), signal);
  await runCommand(phone, shellLine('appops', 'set', ...ofShell, 'allow'), signal);
  await provider('add-test-provider');
  await provider('set-test-provider-enabled', 'true');
  await provider('set-test-provider-location', '--location', `${lat},${lng}`);
}
