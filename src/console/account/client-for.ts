import { PhoneboothClient } from '../../client/phonebooth-client.ts';

/** Base path of the API, on the console's own origin. */
const API_BASE = '/v1';

export const clientFor = (key: string) => new PhoneboothClient({ baseUrl: API_BASE, key });
