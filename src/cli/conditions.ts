import { type Command, InvalidArgumentError, Option } from 'commander';
import { CONDITION_NAMES, type Conditions, type ConditionsReport } from '../contract/sockets/conditions.ts';
import { addJson, printResult } from './output.ts';
import { addSession, findSessionId, openService, type RemoteOptions } from './remote.ts';

/** The options that change conditions, by the names under which commander returns them. */
interface Wanted {
  darkMode?: 'on' | 'off';
  fontScale?: number;
  locale?: string;
  timeZone?: string;
  airplaneMode?: 'on' | 'off';
  batterySaver?: 'on' | 'off';
  animations?: 'on' | 'off';
  proxy?: string;
  location?: { lat: number; lng: number };
}

/** `phonebooth conditions`: prints the conditions of a session's phone, and changes those that are given. */
export function addConditionsCommand(program: Command): void {
  const turn = (flag: string, description: string) =>
    new Option(`--${flag} <on|off>`, description).choices(['on', 'off']);
  addSession(
    addJson(
      program
        .command('conditions')
        .description('print the conditions of the phone, such as dark mode, and change those that are given'),
    ),
  )
    .addOption(turn('dark-mode', 'dark theme of the system and of apps that follow it'))
    .option('--font-scale <factor>', 'size of texts, from 0.85 to 2; 1 is the default', factor)
    .option('--locale <tag>', 'language and region, such as pt-BR')
    .option('--time-zone <name>', 'IANA time zone, such as Europe/Paris')
    .addOption(turn('airplane-mode', 'turn all radios of the phone off'))
    .addOption(turn('battery-saver', 'save power, as if the phone were not charging'))
    .addOption(turn('animations', 'animations of windows and apps'))
    .option('--proxy <host:port>', 'HTTP proxy; none removes it')
    .option('--location <lat,lng>', 'location that apps see, in degrees', place)
    .addHelpText(
      'after',
      `
If the phone does not support one of the changes, or one fails, none is made. All are undone when the session has ended.
`,
    )
    .action(run);
}

function factor(text: string): number {
  const value = Number(text);
  if (text === '' || Number.isNaN(value)) throw new InvalidArgumentError('must be a number from 0.85 to 2');
  return value;
}

function place(text: string): { lat: number; lng: number } {
  const [, lat, lng] = /^(-?\d{1,2}(?:\.\d{1,15})?),(-?\d{1,3}(?:\.\d{1,15})?)$/.exec(text) ?? [];
  if (lat === undefined || lng === undefined)
    throw new InvalidArgumentError('must be a latitude and a longitude, such as 52.52,13.405');
  return { lat: Number(lat), lng: Number(lng) };
}

async function run(options: RemoteOptions & Wanted): Promise<void> {
  const wanted = conditionsOf(options);
  const { api } = await openService(options);
  const sessionId = await findSessionId({ api }, options);
  const isChange = Object.keys(wanted).length > 0;
  const report = await (isChange ? api.setConditions(sessionId, wanted) : api.conditions(sessionId));
  printResult(options, report, describe(report));
}

function conditionsOf(options: Wanted): Conditions {
  const isOn = (value: 'on' | 'off' | undefined) => (value === undefined ? undefined : value === 'on');
  const { fontScale, locale, timeZone, proxy, location } = options;
  const wanted = {
    dark_mode: isOn(options.darkMode),
    font_scale: fontScale,
    locale,
    time_zone: timeZone,
    airplane_mode: isOn(options.airplaneMode),
    battery_saver: isOn(options.batterySaver),
    animations: isOn(options.animations),
    proxy,
    location,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

function describe({ values, unsupported }: ConditionsReport): string {
  const width = Math.max(...CONDITION_NAMES.map((name) => name.length));
  const lines = CONDITION_NAMES.map((name) => {
    const reason = unsupported[name];
    const words = [wordOf(values[name]), ...(reason === undefined ? [] : [`(cannot be changed: ${reason})`])];
    return `${name.padEnd(width)}  ${words.join(' ')}`;
  });
  return lines.join('\n');
}

function wordOf(value: Conditions[keyof Conditions]): string {
  if (value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'object' ? `${value.lat},${value.lng}` : String(value);
}
