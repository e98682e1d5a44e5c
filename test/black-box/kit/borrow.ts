import { type Answer, type Api, type Device, type Page, type Session, succeeded } from './api.ts';
import { until } from './wait.ts';

/** A live session that is ended at the end of its block. */
export interface BorrowRequest extends AsyncDisposable {
  session: Session;
  device: Device;
}

/** Lists all matching phones, over all pages. */
export async function listAll(api: Api, filter = ''): Promise<Device[]> {
  const items: Device[] = [];
  for (let page = 1; ; page++) {
    const data = succeeded(await api.get<Page<Device>>(`/devices?page_size=100&page=${page}${filter}`));
    items.push(...data.items);
    if (data.items.length === 0 || items.length >= data.total) return items;
  }
}

/** Returns an available phone. Waits while all phones are in use or being cleaned. */
export function freeDevice(api: Api): Promise<Device> {
  return until(
    'an available phone',
    async () => {
      const { items } = succeeded(await api.get<Page<Device>>('/devices?status=available&page_size=1'));
      return items[0];
    },
    { deadlineMs: 90_000 },
  );
}

/**
 * Connects to an available phone. Another client of the deployment can take the phone first, so this retries until it
 * succeeds.
 */
export async function borrow(api: Api, body: object = { duration: 5 }): Promise<BorrowRequest> {
  const { device, answer } = await until('a phone to connect to', async () => {
    const candidate = await freeDevice(api);
    const connected = await api.post<Session>(`/devices/${candidate.id}/connect`, body);
    return connected.code !== 40010 && { device: candidate, answer: connected };
  });
  return loanOf(api, device, answer);
}

/** Connects to an available phone and waits until the session is connected. */
export async function borrowConnected(api: Api, body?: object): Promise<BorrowRequest> {
  const loan = await borrow(api, body);
  try {
    return { ...loan, session: await connected(api, loan.session) };
  } catch (error) {
    await loan[Symbol.asyncDispose]();
    throw error;
  }
}

/** Waits until the session is connected. */
export function connected(api: Api, { session_id }: Session): Promise<Session> {
  return until(`session ${session_id} to become connected`, async () => {
    const session = succeeded(await api.get<Session>(`/sessions/${session_id}`));
    if (session.status === 'disconnected') throw new Error(`the session ended with ${session.end_reason}`);
    return session.status === 'connected' && session;
  });
}

function loanOf(api: Api, device: Device, answer: Answer<Session>): BorrowRequest {
  const session = succeeded(answer);
  return {
    session,
    device,
    [Symbol.asyncDispose]: async () => {
      succeeded(await api.post(`/sessions/${session.session_id}/disconnect`));
    },
  };
}
