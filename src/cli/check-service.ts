import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Phonebooth } from '../client/phonebooth.ts';
import { ServiceError } from '../client/service-error.ts';
import { counted } from '../util/counted.ts';
import { withAdvice } from './advice.ts';

/** The result of one check. The message of a failure says what to do about it. */
interface Check {
  ok: boolean;
  message: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
/** Certificates are commonly renewed 30 days before they expire. */
const RENEW_BEFORE_DAYS = 14;
/** A larger difference shows wrong remaining times, and receivers reject webhook messages at 5 minutes. */
const MAX_CLOCK_OFFSET_S = 30;

/** Checks the connection to the service from this machine: its address, its certificate, the key and the clock. */
export async function checkService(service: Phonebooth, url: string): Promise<Check[]> {
  const { origin, protocol } = new URL(url);
  const key = await checkKey(service);
  if (!key.isReached) return [{ ok: false, message: key.message }];
  return [
    { ok: true, message: `${origin} is a Phonebooth service` },
    ...(protocol === 'https:' ? [await checkCertificate(new URL(url))] : []),
    { ok: key.ok, message: key.message },
    checkClock(service.api.clockOffsetMs),
  ];
}

async function checkKey({ api }: Phonebooth): Promise<Check & { isReached: boolean }> {
  try {
    const { account, role, user } = await api.getUsage();
    const owner = user ? `user ${user.name} of account ${account}` : `account ${account}`;
    return { isReached: true, ok: true, message: `the API key is valid: ${owner}, role ${role}` };
  } catch (error) {
    // A response of another server has no code of the contract.
    const isReached = error instanceof ServiceError && error.code !== 0;
    return { isReached, ok: false, message: withAdvice(error) };
  }
}

/** Checks when the certificate expires. The request for the key has verified that it is trusted. */
async function checkCertificate({ hostname, port }: URL): Promise<Check> {
  const host = hostname.replaceAll(/[[\]]/g, '');
  const isName = /[a-z]/i.test(host) && !host.includes(':');
  const socket = connect({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    ...(isName && { servername: host }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    const expiry = new Date(socket.getPeerCertificate().valid_to);
    const days = Math.floor((expiry.getTime() - Date.now()) / DAY_MS);
    const message = `the certificate is trusted and expires in ${counted(days, 'day')}`;
    return days < RENEW_BEFORE_DAYS
      ? { ok: false, message: `${message}. Ask the operator to renew it.` }
      : { ok: true, message };
  } catch (error) {
    return { ok: false, message: `the certificate cannot be read: ${(error as Error).message}. Try again.` };
  } finally {
    socket.destroy();
  }
}

function checkClock(offsetMs: number): Check {
  const offset = Math.round(Math.abs(offsetMs) / 1000);
  if (offset <= MAX_CLOCK_OFFSET_S)
    return {
      ok: true,
      message: `the clock of this machine agrees with the service within ${MAX_CLOCK_OFFSET_S} s`,
    };
  const direction = offsetMs > 0 ? 'behind' : 'ahead of';
  return {
    ok: false,
    message: `the clock of this machine is ${offset} s ${direction} the service. Synchronize it, for example with NTP.`,
  };
}
