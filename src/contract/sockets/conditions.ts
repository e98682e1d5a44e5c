import { type Static, Type } from 'typebox';

/** A host name or IPv4 address with a port, or `none`. Android’s setting does not hold IPv6 addresses. */
const PROXY =
  '^(?:none|(?=.{1,253}:)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?:(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]))$';
const LOCALE = '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$';
const TIME_ZONE = '^[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}$';

/** The descriptions of the patterns in error messages. */
export const CONDITION_PATTERN_WORDS: Record<string, string> = {
  [PROXY]: 'host:port, such as proxy.example.com:8080, or none',
  [LOCALE]: 'a BCP 47 language tag, such as en or pt-BR',
  [TIME_ZONE]: 'an IANA time zone, such as Europe/Paris',
};

/** The conditions of a phone that clients read and set, by name. Cleaning undoes them after the session. */
const fields = {
  dark_mode: Type.Boolean({ description: 'Dark theme of the system and of apps that follow it' }),
  font_scale: Type.Number({ minimum: 0.85, maximum: 2, description: 'Size of texts; 1 is the default' }),
  locale: Type.String({
    maxLength: 35,
    pattern: LOCALE,
    description: 'Language and region of the system, as a BCP 47 tag',
  }),
  time_zone: Type.String({
    maxLength: 50,
    pattern: TIME_ZONE,
    description: 'IANA time zone; it stays until the end of the session',
  }),
  airplane_mode: Type.Boolean({ description: 'All radios of the phone are off' }),
  battery_saver: Type.Boolean({
    description: 'While it is on, the phone behaves as if it were not charging',
  }),
  animations: Type.Boolean({ description: 'Animations of windows and apps' }),
  proxy: Type.String({
    maxLength: 260,
    pattern: PROXY,
    description: 'Proxy of apps as `host:port`; `none`: no proxy',
  }),
  location: Type.Object(
    {
      lat: Type.Number({ minimum: -90, maximum: 90 }),
      lng: Type.Number({ minimum: -180, maximum: 180 }),
    },
    { additionalProperties: false, description: 'Location that apps see, in degrees' },
  ),
};

export type ConditionName = keyof typeof fields;
export const CONDITION_NAMES = Object.keys(fields) as ConditionName[];

/** Any subset of the conditions. Those that are absent stay as they are. */
export const Conditions = Type.Partial(Type.Object(fields), {
  additionalProperties: false,
});
/** The conditions as optional arguments, for schemas that have others too. */
export const CONDITION_FIELDS = Conditions.properties;
export type Conditions = Static<typeof Conditions>;

const reasons = Object.fromEntries(
  CONDITION_NAMES.map((name) => [name, Type.Optional(Type.String())]),
) as Record<ConditionName, ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>>>;

export const ConditionsReport = Type.Object({
  values: Type.Partial(Type.Object(fields), {
    description: 'Conditions that the phone reports; `location` only if the session has set it',
  }),
  unsupported: Type.Object(reasons, {
    description: 'Why the phone cannot change a condition, by name',
  }),
});
export type ConditionsReport = Static<typeof ConditionsReport>;

/**
 * The first condition whose value has the right form and does not exist, such as the time zone Mars/Olympus, with a
 * description of valid values; null if there is none.
 */
export function unknownCondition({
  locale,
  time_zone: timeZone,
}: Conditions): { field: ConditionName; message: string } | null {
  if (locale !== undefined && !isKnown(() => Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0))
    return { field: 'locale', message: `must be ${CONDITION_PATTERN_WORDS[LOCALE]}; ${locale} is not known` };
  if (timeZone !== undefined && !isKnown(() => new Intl.DateTimeFormat('en', { timeZone }) !== null))
    return {
      field: 'time_zone',
      message: `must be ${CONDITION_PATTERN_WORDS[TIME_ZONE]}; ${timeZone} is not known`,
    };
  return null;
}

function isKnown(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
