import { conditionErrors } from '../../contract/http/conditions.ts';
import type { ConditionsReport } from '../../contract/sockets/conditions.ts';
import type { AutomatedPhone, MobileHandler } from '../phone.ts';
import { invalidArgument } from '../protocol/errors.ts';
import { type JsonObject, readNumber, readOneOf } from '../protocol/values.ts';

function change(phone: AutomatedPhone, wanted: JsonObject): Promise<ConditionsReport> {
  const [error] = conditionErrors(wanted, 'args[0]');
  if (error) throw invalidArgument(`${error.field} ${error.message}`);
  return phone.call('conditions.set', wanted);
}

/** Some clients of Appium send coordinates as strings. */
const readDegrees = (value: unknown, field: string, max: number) =>
  readNumber(typeof value === 'string' && value !== '' ? Number(value) : value, field, { min: -max, max });

/** All conditions, and those for which Appium's UiAutomator2 driver has a command, with its names and arguments. */
export const MOBILE_CONDITIONS = {
  getConditions: (_, { phone }) => phone.call('conditions.get', {}),
  setConditions: (args, { phone }) => change(phone, args),
  getUiMode: async ({ mode }, { phone }) => {
    readOneOf(mode, 'mode', ['night']);
    const { values } = await phone.call('conditions.get', {});
    return values.dark_mode ? 'yes' : 'no';
  },
  setUiMode: async ({ mode, value }, { phone }) => {
    readOneOf(mode, 'mode', ['night']);
    await change(phone, { dark_mode: readOneOf(value, 'value', ['yes', 'no']) === 'yes' });
    return null;
  },
  setGeolocation: async ({ latitude, longitude }, { phone }) => {
    const lat = readDegrees(latitude, 'latitude', 90);
    await change(phone, { location: { lat, lng: readDegrees(longitude, 'longitude', 180) } });
    return null;
  },
} satisfies Record<string, MobileHandler>;
