// What each client does.

/** The phones are in use by the other clients. */
export const OPTIONS = { wait: 300, duration: 10 };
export const KEY = process.env.PHONEBOOTH_API_KEY;
export const APP = 'com.phonebooth.calculator';
export const NOTES = 'com.phonebooth.notes';
/** The keys of the calculator that are pressed. */
export const LABELS = ['5', '+', '7', '='];

const { protocol, hostname, port, pathname } = new URL(process.env.PHONEBOOTH_WEBDRIVER_URL);
export const target = { protocol: protocol.slice(0, -1), hostname, port: Number(port), pathname };
