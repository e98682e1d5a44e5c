import { CONDITION_NAMES, type ConditionName } from '../../../contract/sockets/conditions.ts';
import { shellLine } from '../adb/quote.ts';
import { NUMBER } from '../settings.ts';
import {
  type AndroidCondition,
  type AndroidConditions,
  output,
  type State,
  setting,
  writeSetting,
} from './condition.ts';

const ZONE = /^[A-Za-z][\w+-]*(?:\/[\w+-]+){0,2}$/;
const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$/;
const FONT_SCALE = 'system font_scale';
const AUTO_TIME_ZONE = 'global auto_time_zone';
const PROXY = 'global http_proxy';
/** Android clears the proxy when it reads this value, and ignores a deleted setting (AOSP ProxyTracker.java). */
const NO_PROXY = ':0';
const LOW_POWER = 'global low_power';
const ANIMATION_SCALES = [
  'global window_animation_scale',
  'global transition_animation_scale',
  'global animator_duration_scale',
];

const since = (least: number, version: number) => (sdk: number) =>
  sdk < least ? `Android ${version} or newer is required` : null;
const android8 = since(26, 8);
const android9 = since(28, 9);
const android10 = since(29, 10);
const android11 = since(30, 11);

/** Source of the modes: AOSP UiModeManagerService.java, Shell. */
const darkMode: AndroidCondition<boolean> = {
  refusal: ({ sdk }) => android10(sdk),
  questions: {
    mode: {
      line: () => 'cmd uimode night',
      parse: (text) => /^Night mode: (\w+)$/m.exec(text)?.[1],
      form: /^(?:yes|no|auto|custom|custom_schedule|custom_bedtime)$/,
    },
    // What an automatic mode has chosen.
    isDark: {
      line: () => 'dumpsys uimode',
      parse: (text) => /mComputedNightMode=(true|false)/.exec(text)?.[1],
      form: /^(?:true|false)$/,
      isForDisplay: true,
    },
  },
  valueOf: ({ mode, isDark }) => {
    if (mode === 'yes' || mode === 'no') return mode === 'yes';
    return typeof isDark === 'string' ? isDark === 'true' : undefined;
  },
  stateFor: (isDark) => ({ mode: isDark ? 'yes' : 'no' }),
  commands: ({ mode }) => [shellLine('cmd', 'uimode', 'night', mode ?? 'no')],
};

const fontScale: AndroidCondition<number> = {
  refusal: () => null,
  questions: { [FONT_SCALE]: setting(FONT_SCALE, NUMBER) },
  valueOf: (state) => Number(state[FONT_SCALE] ?? 1),
  stateFor: (scale) => ({ [FONT_SCALE]: String(scale) }),
  commands: (state, phone) => [writeSetting(FONT_SCALE, state[FONT_SCALE] ?? null, phone, '1.0')],
};

const NO_LOCALE_COMMAND =
  'Android has no command that changes the language of the system; set it by hand in the settings of the phone';

const locale: AndroidCondition<string> = {
  refusal: () => NO_LOCALE_COMMAND,
  questions: {
    system: { ...setting('system system_locales', /^[\w,-]{2,500}$/), isForDisplay: true },
    chosen: { ...output('getprop persist.sys.locale', LANGUAGE), isForDisplay: true },
    initial: { ...output('getprop ro.product.locale', LANGUAGE), isForDisplay: true },
  },
  valueOf: ({ system, chosen, initial }) =>
    [system?.split(',')[0], chosen, initial].find(
      (tag): tag is string => typeof tag === 'string' && LANGUAGE.test(tag),
    ),
  stateFor: () => ({}),
  commands: () => [],
};

/** Source: AOSP AlarmManagerService.java, ShellCmd, which requires SET_TIME_ZONE, as the shell has it. */
const timeZone: AndroidCondition<string> = {
  refusal: ({ sdk }) => android9(sdk),
  questions: {
    zone: output('getprop persist.sys.timezone', ZONE),
    [AUTO_TIME_ZONE]: setting(AUTO_TIME_ZONE, NUMBER),
  },
  valueOf: ({ zone }) => zone ?? undefined,
  stateFor: (zone) => ({ zone, [AUTO_TIME_ZONE]: '0' }),
  // A phone that detects its time zone would change it back.
  commands: (state, phone) => [
    writeSetting(AUTO_TIME_ZONE, '0', phone, '1'),
    shellLine('cmd', 'alarm', 'set-timezone', state.zone ?? 'GMT'),
    ...(state[AUTO_TIME_ZONE] === '0'
      ? []
      : [writeSetting(AUTO_TIME_ZONE, state[AUTO_TIME_ZONE]!, phone, '1')]),
  ],
  isRestored: (now, before) =>
    now[AUTO_TIME_ZONE] === before[AUTO_TIME_ZONE] &&
    (now.zone === before.zone || before[AUTO_TIME_ZONE] !== '0'),
};

/** Source: AOSP ConnectivityService.java, ShellCmd. */
const airplaneMode: AndroidCondition<boolean> = {
  refusal: ({ sdk, isOnNetwork }) =>
    isOnNetwork
      ? 'its host reaches the phone over the network, which airplane mode turns off'
      : android11(sdk),
  questions: { mode: output('cmd connectivity airplane-mode', /^(?:enabled|disabled)$/) },
  valueOf: ({ mode }) => mode === 'enabled',
  stateFor: (isOn) => ({ mode: isOn ? 'enabled' : 'disabled' }),
  commands: ({ mode }) => [
    shellLine('cmd', 'connectivity', 'airplane-mode', mode === 'enabled' ? 'enable' : 'disable'),
  ],
};

/**
 * Android turns battery saver off while the phone is charging, so its battery service has to report that it is not.
 * Source: AOSP BatterySaverStateMachine.java, BatteryService.java.
 */
const batterySaver: AndroidCondition<boolean> = {
  refusal: ({ sdk }) => android8(sdk),
  questions: {
    saver: {
      ...setting(LOW_POWER, /^[01]$/),
      parse: (text) => (text.trim() === 'null' ? '0' : text.trim()),
    },
    updates: {
      line: () => 'dumpsys battery',
      parse: (text) => {
        if (!text.includes('Battery Service state')) return undefined;
        return text.includes('UPDATES STOPPED') ? 'stopped' : 'running';
      },
      form: /^(?:stopped|running)$/,
    },
  },
  valueOf: ({ saver }) => saver === '1',
  stateFor: (isOn) => (isOn ? { saver: '1', updates: 'stopped' } : { saver: '0', updates: 'running' }),
  commands: ({ saver, updates }) => [
    ...(updates === 'stopped' ? ['dumpsys battery unplug'] : []),
    shellLine('cmd', 'power', 'set-mode', saver ?? '0'),
    ...(updates === 'stopped' ? [] : ['dumpsys battery reset']),
  ],
  // A phone that is charging now does not turn it on again.
  isRestored: (now, before) =>
    now.updates === before.updates && (now.saver === before.saver || before.saver === '1'),
};

const animations: AndroidCondition<boolean> = {
  refusal: () => null,
  questions: Object.fromEntries(ANIMATION_SCALES.map((name) => [name, setting(name, NUMBER)])),
  valueOf: (state) => ANIMATION_SCALES.some((name) => Number(state[name] ?? 1) > 0),
  stateFor: (areOn, before) =>
    Object.fromEntries(
      ANIMATION_SCALES.map((name) => {
        const isOn = Number(before[name] ?? 1) > 0;
        return [name, areOn === isOn ? before[name]! : areOn ? '1' : '0'];
      }),
    ),
  commands: (state, phone) =>
    ANIMATION_SCALES.map((name) => writeSetting(name, state[name] ?? null, phone, '1')),
};

const proxy: AndroidCondition<string> = {
  refusal: () => null,
  questions: {
    [PROXY]: {
      ...setting(PROXY, /^[\w.:-]{1,300}$/),
      parse: (text) => (['null', ''].includes(text.trim()) ? NO_PROXY : text.trim()),
    },
  },
  valueOf: (state) => (state[PROXY] === NO_PROXY ? 'none' : (state[PROXY] ?? undefined)),
  stateFor: (address) => ({ [PROXY]: address === 'none' ? NO_PROXY : address }),
  commands: (state, phone) => [writeSetting(PROXY, state[PROXY] ?? NO_PROXY, phone, NO_PROXY)],
};

/** All conditions that commands of the shell read and change. `location.set` is the command for the location. */
export const ANDROID_CONDITIONS: AndroidConditions = {
  dark_mode: darkMode,
  font_scale: fontScale,
  locale,
  time_zone: timeZone,
  airplane_mode: airplaneMode,
  battery_saver: batterySaver,
  animations,
  proxy,
};

export type ShellConditionName = keyof AndroidConditions;
export const SHELL_CONDITION_NAMES = CONDITION_NAMES.filter(
  (name: ConditionName): name is ShellConditionName => name !== 'location',
);

/** The condition of a name, for code that passes its values on without looking at them. */
export const conditionOf = (name: ShellConditionName) =>
  ANDROID_CONDITIONS[name] as AndroidCondition<unknown>;

/** Whether a state from the disk may be restored: every part of it has its form. */
export function isConditionState(name: string, state: unknown): state is State {
  if (!SHELL_CONDITION_NAMES.includes(name as ShellConditionName)) return false;
  if (typeof state !== 'object' || state === null) return false;
  const parts = state as Record<string, unknown>;
  return Object.entries(conditionOf(name as ShellConditionName).questions).every(
    ([part, { form, isForDisplay }]) => {
      const value = parts[part];
      return isForDisplay || value === null || (typeof value === 'string' && form.test(value));
    },
  );
}
