import type { AppStatus, EndReason } from '../../contract/http/session.ts';
import { minutes } from './count.ts';

/** Texts of the page about one session: what happened, and what it cost. */
export const sessionHistoryTexts = {
  title: 'Session details',
  back: 'Sessions',
  open: 'Open session',
  again: 'Connect again',
  facts: 'Details',
  by: 'Borrowed by',
  unknown: 'Unknown',
  phone: 'Phone',
  lasted: 'Duration',
  app: 'App',
  noApp: 'None',
  appStatus: {
    pending: 'waiting to be installed',
    installing: 'being installed',
    installed: 'installed',
    failed: 'not installed',
  } satisfies Record<AppStatus, string>,
  deletedApp: 'An app that was deleted',
  charges: 'Charges',
  reserved: (value: number) => `${minutes(value)} reserved; unused minutes are refunded at the end`,
  charged: (charged: number, reserved: number) =>
    reserved > charged
      ? `${minutes(charged)} charged, ${minutes(reserved - charged)} refunded`
      : `${minutes(charged)} charged`,
  id: 'Session ID',
  copyId: 'Copy session ID',
  copied: 'Session ID copied.',
  timeline: 'Timeline',
  requested: 'Requested',
  ready: 'Ready',
  after: (length: string) => `After ${length}`,
  ended: 'Ended',
  notStarted: 'Did not start',
  ends: 'Ends at the latest',
  reasons: {
    client: 'Ended by a client of the account.',
    expired: 'The time limit was reached.',
    idle: 'The session was idle for too long.',
    start_failed: 'The phone could not be started.',
    start_timeout: 'The phone did not start in time.',
    device_lost: 'The phone was lost.',
    host_lost: 'The host of the phone was lost.',
    admin: 'Ended by an operator, or its API key was revoked.',
  } satisfies Record<EndReason, string>,
} as const;
