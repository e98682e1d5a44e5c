import type { Command } from 'commander';
import { addSettings, configFrom } from './settings.ts';

/**
 * `phonebooth doctor`: prints what adb detects, what is missing, and what to do. Exits with 1 when something must be
 * fixed.
 */
export function addDoctorCommand(program: Command): void {
  addSettings(
    program
      .command('doctor')
      .description('check what keeps Android phones from being available, and how to fix it'),
  ).action(async (options: object) => {
    const config = configFrom(options);
    const { diagnoseAndroid } = await import('../server/android.ts');
    const { lines, well } = await diagnoseAndroid(config);
    process.stdout.write(`${lines.join('\n')}\n`);
    if (!well) process.exitCode = 1;
  });
}
