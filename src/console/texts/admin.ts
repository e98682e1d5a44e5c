import type { HostState } from '../../contract/http/host.ts';
import { accountTexts, userTexts } from './accounts.ts';
import { auditTexts } from './audit.ts';
import { count } from './count.ts';
import { fleetDeviceTexts } from './fleet-devices.ts';

/** Texts of the pages for operators. */
export const adminTexts = {
  title: 'Operate',
  sections: {
    label: 'Operate',
    devices: 'Phones',
    hosts: 'Hosts',
    accounts: 'Accounts',
    groups: 'Groups',
    users: 'Users',
    sessions: 'Sessions',
    webhooks: 'Webhooks',
    utilisation: 'Utilisation',
    audit: 'Audit trail',
  },
  notOperatorTitle: 'For operators only',
  notOperator:
    'This page requires an API key with the role “admin”. Sign in with such a key, or ask an operator of ' +
    'this service.',
  noSection: 'This page does not exist. Choose one of the operator pages above.',
  toPhones: 'View phones',
  account: 'Account',
  anyAccount: 'All accounts',
  actions: 'Actions',
  actionsFor: (name: string) => `Actions for ${name}`,
  never: 'Never',

  devices: fleetDeviceTexts,

  hosts: {
    title: 'Hosts',
    count: (total: number) => count(total, 'host', 'hosts'),
    host: 'Host',
    state: 'State',
    states: { up: 'Up', silent: 'Not reporting', revoked: 'Revoked' } satisfies Record<HostState, string>,
    steps: {
      up: null,
      silent: 'Check that the machine is on, has a network connection and runs Phonebooth.',
      revoked: 'Its reports are rejected. Connect its phones to another host.',
    } satisfies Record<HostState, string | null>,
    notYet:
      'It has not reported yet. Start “phonebooth agent” on it with the credential that was shown when it ' +
      'was added.',
    lastSeen: 'Last report',
    phones: 'Phones',
    phonesOf: (name: string) => `Phones of ${name}`,
    noPhones: 'None',
    live: 'Live sessions',
    revoke: 'Revoke…',
    revokeTitle: (name: string) => `Revoke ${name}?`,
    revokeExplain: (phones: number, sessions: number) => {
      const offline =
        phones === 0 ? 'it has no phones' : `its ${count(phones, 'phone goes', 'phones go')} offline`;
      const ends =
        sessions === 0
          ? 'no session ends, because it has no live session'
          : `${count(sessions, 'live session ends', 'live sessions end')} immediately`;
      return `This is permanent: its reports are rejected, ${offline}, and ${ends}.`;
    },
    revokeSubmit: 'Revoke permanently',
    revoked: (name: string) => `${name} was revoked.`,
    add: 'Add host',
    addTitle: 'Add a host',
    addExplain:
      'A host is a machine with phones attached. It connects to this service over NATS with its own credential.',
    name: 'Name',
    nameHint: 'Where the machine is or what it is for, such as “berlin-shelf-2”.',
    nameMissing: 'Enter a name to recognize the host by.',
    addSubmit: 'Add host',
    credentialTitle: (name: string) => `Credential of ${name}`,
    credential: {
      once: 'Copy the credential now. It is not shown again: the service does not store it.',
      field: 'Credential',
      copy: 'Copy credential',
      copied: 'Credential copied.',
      close: 'Done',
      lost: 'The host was added, but the response with its credential was lost. Revoke the host and add it again.',
    },
    connectSteps: [
      {
        does: 'On the machine of this service, write the NATS configuration and reload the NATS server:',
        command: 'phonebooth hosts nats-config > hosts.conf && nats-server --signal reload',
      },
      {
        does: 'On the host, start the agent with the credential:',
        command: 'PHONEBOOTH_HOST_CREDENTIAL=… PHONEBOOTH_NATS_URL=… phonebooth agent',
      },
    ],
    noneTitle: 'No hosts yet',
  },

  accounts: accountTexts,
  users: userTexts,
  sessions: {
    title: 'Sessions',
    count: (total: number) => count(total, 'session', 'sessions'),
    account: 'Account',
    ofDevice: (id: string) => `Only phone ${id}`,
    phone: 'Phone',
    started: 'Started',
    ends: 'Until',
    outcome: 'State',
    charged: 'Minutes',
    reserved: (value: number) => `${value} reserved`,
    release: 'End session…',
    noneTitle: 'No sessions yet',
    none: 'No phone has been borrowed yet.',
  },

  utilisation: {
    title: 'Utilisation',
    subtitle: 'How much of the time offered by the phones was used. Hours are in your time zone.',
    span: 'Time',
    spans: [
      ['24', 'Last 24 hours'],
      ['72', 'Last 3 days'],
      ['168', 'Last 7 days'],
      ['744', 'Last 31 days'],
    ],
    chart: (span: string) => `Device-minutes per hour, ${span.toLowerCase()}`,
    share: (percent: number | null) => (percent === null ? '—' : `${percent} %`),
    overall: 'In use',
    overallOf: (used: string, offered: string) => `${used} of ${offered} device-minutes offered`,
    busiest: 'Busiest hour',
    nothing: 'No offered device-minutes were recorded in this period.',
    gaps: (hours: number) =>
      `The service did not run all the time in ${count(hours, 'hour', 'hours')}, so the offered time is partly unknown.`,
    inUse: 'In use',
    free: 'Offered, not in use',
    hour: 'Hour',
    offered: 'Offered',
    percent: 'Share',
    value: (value: number) => `${Math.round(value).toLocaleString('en')} min`,
    keyboard: 'Use the arrow keys to move from hour to hour.',
    table: 'Show as a table',
  },

  audit: auditTexts,

  refusals: {
    present:
      'Its host still reports this phone and would add it again. Disconnect it first, or put it into ' +
      'maintenance.',
    inUse: 'A session is using this phone. End the session first.',
    cleaning:
      'The session has ended, and the phone is being cleaned. It will be available in a moment. If not, ' +
      'put it into maintenance and restart it.',
    noSession: 'The phone has no session to end.',
    gone: (kind: string) => `The ${kind} no longer exists. Reload the page to update the list.`,
    forbidden: 'This action requires an API key with the role “admin”. Sign in with such a key.',
  },
} as const;
