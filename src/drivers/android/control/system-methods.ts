import { DriverError } from '../../driver.ts';
import { shellLine } from '../adb/quote.ts';
import { readDeviceInfo } from './device-info.ts';
import type { Logcat } from './logcat.ts';
import type { Handlers, PhoneContext } from './phone-context.ts';
import { parseUiTree } from './ui-tree.ts';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const UI_FILE = '/data/local/tmp/phonebooth-ui.xml';

/** Upper limit for a shell command. The deadline of the client's call may end it sooner. */
const SHELL_MS = 290_000;
/** The answer must fit into one message of the control socket. */
const MAX_SHELL_OUTPUT = 4 * 1024 * 1024;

/** The control methods that require adb's shell. */
export function systemMethods(phone: PhoneContext, logcat: Logcat): Handlers {
  return {
    screenshot: async (_params, signal) => {
      const { stdout, stderr } = await phone.device.shell('screencap -p', { signal });
      if (stdout.indexOf(PNG_SIGNATURE) !== 0) {
        throw new DriverError('failed', stderr.trim() || 'the phone did not take a screenshot; try again');
      }
      return { png: stdout.toString('base64') };
    },
    'ui.tree': async (_params, signal) => {
      const file = shellLine(UI_FILE);
      // uiautomator may fail with exit code 0, so the old file is removed first. Otherwise an older result could be
      // taken for this one.
      const line = `rm -f ${file}; uiautomator dump ${file} >/dev/null; cat ${file}; rm -f ${file}`;
      const { stdout, stderr } = await phone.device.shell(line, { signal });
      const xml = stdout.toString('utf8');
      if (!xml.includes('<hierarchy')) {
        const complaint = /ERROR: (.*)/.exec(stderr)?.[1];
        throw new DriverError(
          'failed',
          complaint ??
            'the phone did not return the UI elements on its screen; try again when nothing moves on it',
        );
      }
      return { root: parseUiTree(xml) };
    },
    'device.info': (_params, signal) => readDeviceInfo(phone, signal),
    'log.start': async (_params, signal) => {
      await logcat.start(signal);
      return null;
    },
    'log.stop': async () => {
      logcat.stop();
      return null;
    },
    shell: async ({ command }, signal) => {
      const { exitCode, stdout, stderr } = await phone.device.shell(command, { signal, timeoutMs: SHELL_MS });
      if (stdout.length + stderr.length > MAX_SHELL_OUTPUT)
        throw new DriverError(
          'failed',
          'the output of the command exceeds 4 MiB; use phonebooth adb, which has no such limit',
        );
      return { exit_code: exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  };
}
