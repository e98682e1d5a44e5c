import type { Command } from 'commander';
import { serviceUrl } from '../server/config.ts';
import { addJson, printResult } from './output.ts';
import { addRemote, openService, type RemoteOptions } from './remote.ts';
import { addSettings, configFrom } from './settings.ts';

/**
 * `phonebooth doctor`: checks the Android phones of this machine, or the connection to a service. Exits with 1 when
 * something must be fixed.
 */
export function addDoctorCommand(program: Command): void {
  const command = addJson(program.command('doctor')).description(
    'check what keeps Android phones from being available, or the connection to a service, and how to fix it',
  );
  addSettings(addRemote(command), [
    ...(['PHONEBOOTH_DATA_DIR', 'PHONEBOOTH_ADB', 'PHONEBOOTH_SCRCPY_SERVER', 'PHONEBOOTH_APPIUM'] as const),
  ])
    .addHelpText(
      'after',
      `
With --url or PHONEBOOTH_URL, it checks the connection to that service: its address, its certificate, the API key and
the clock of this machine. Otherwise it checks the Android phones of this machine, and Appium if PHONEBOOTH_APPIUM is set.`,
    )
    .action(doctor);
}

async function doctor(options: RemoteOptions): Promise<void> {
  const checks = await runChecks(options);
  const lines = checks.map(({ ok, message }) => `${ok ? 'ok  ' : 'FIX '}${message}`);
  printResult(options, checks, lines.join('\n'));
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
}

async function runChecks(options: RemoteOptions) {
  const url = serviceUrl(options);
  if (url === null) {
    const config = configFrom(options);
    const { diagnoseAndroid } = await import('../server/android.ts');
    const { diagnoseAppium } = await import('../server/appium.ts');
    return [...(await diagnoseAndroid(config)), ...(await diagnoseAppium(config))];
  }
  const { checkService } = await import('./check-service.ts');
  return checkService(await openService(options), url);
}
