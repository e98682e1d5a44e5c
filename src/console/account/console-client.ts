import { PhoneboothClient } from '../../client/phonebooth-client.ts';

/** Base path of the API, on the console's own origin. */
const API_BASE = '/v1';

/** A client that uses the browser session, which the browser adds to each request. */
export const consoleClient = (send: typeof fetch) =>
  new PhoneboothClient({ baseUrl: API_BASE, key: null, fetch: send });
