/** Fills a store with many phones and accounts through the store's own interface. */
import { createHash } from 'node:crypto';
import type { PhoneReport } from '../../src/store/hosts/host-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newAccount } from '../../test/fixtures/accounts.ts';

const BRANDS = ['google', 'samsung', 'xiaomi', 'oneplus', 'motorola', 'sony', 'nokia', 'fairphone'];
const OS_VERSIONS = ['12', '13', '14', '15', '16'];
const FIRST_ID = 1_000_000;

/** Ids consist of the same number of digits, so that any program can compute them. */
export const deviceId = (index: number): string => String(FIRST_ID + index);

export const hostId = (index: number, phonesPerHost: number): string =>
  `host-${Math.floor(index / phonesPerHost)}`;

/** With `busy`, every fifth phone is not available, because its host does not report it clean. */
export function phoneReport(index: number, { busy = false } = {}): PhoneReport {
  return {
    description: {
      id: deviceId(index),
      name: `Phone ${index}`,
      brand: BRANDS[index % BRANDS.length]!,
      model: `MODEL-${index % 97}`,
      os_version: OS_VERSIONS[Math.floor(index / BRANDS.length) % OS_VERSIONS.length]!,
      screen_size: '6.1',
      resolution: '1080x2400',
    },
    usable: true,
    problem: null,
    cleanEpoch: busy && index % 5 === 0 ? null : 0,
    lease: null,
  };
}

/** Adds the phones with indexes from `from` up to, but not including, `to`. */
export async function addPhones(
  store: Store,
  options: { from: number; to: number; phonesPerHost: number; busy?: boolean },
): Promise<void> {
  const { from, to, phonesPerHost, busy } = options;
  for (let first = from; first < to; first += phonesPerHost) {
    const count = Math.min(phonesPerHost, to - first);
    await store.reportHost({
      hostId: hostId(first, phonesPerHost),
      hostName: 'shelf',
      complete: false,
      phones: Array.from({ length: count }, (_, n) => phoneReport(first + n, { busy })),
    });
  }
}

/** Reports all phones of these hosts clean, one host after another, as the hosts would. */
export async function cleanPhones(
  store: Store,
  options: { from: number; to: number; phonesPerHost: number },
): Promise<void> {
  const { from, to, phonesPerHost } = options;
  for (let first = from; first < to; first += phonesPerHost) {
    const host = { hostId: hostId(first, phonesPerHost), hostName: 'shelf', complete: false };
    const reports = Array.from({ length: phonesPerHost }, (_, n) => phoneReport(first + n));
    // The answer contains the current lease epoch of each phone.
    const answer = await store.reportHost({ ...host, phones: reports });
    const epochs = new Map(answer?.assignments.map(({ deviceId, epoch }) => [deviceId, epoch]));
    const phones = reports.map((phone) => ({ ...phone, cleanEpoch: epochs.get(phone.description.id) ?? 0 }));
    await store.reportHost({ ...host, phones });
  }
}

export interface Borrower {
  key: string;
  accountId: string;
  keyId: string;
}

/** Adds accounts without limits, each with one key. They are named `borrower-0`, `borrower-1` and so on. */
export async function addBorrowers(store: Store, count: number): Promise<Borrower[]> {
  const borrowers: Borrower[] = [];
  for (let n = 0; n < count; n++) {
    const name = `borrower-${n}`;
    const key = `pb_${name.padEnd(43, 'x')}`;
    const hash = createHash('sha256').update(key).digest('hex');
    const { accountId, keyId } = await newAccount(store, { name, hash });
    borrowers.push({ key, accountId, keyId });
  }
  return borrowers;
}
