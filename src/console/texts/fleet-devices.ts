import type { DeviceCondition } from '../../contract/http/fleet-device.ts';
import { count } from './count.ts';

/** Texts of the page where operators manage phones. */
export const fleetDeviceTexts = {
  title: 'Phones',
  count: (total: number) => count(total, 'phone', 'phones'),
  search: 'Search by name, model or identifier',
  condition: 'Condition',
  anyCondition: 'All conditions',
  host: 'Host',
  anyHost: 'All hosts',
  conditions: {
    available: 'Available',
    busy: 'Busy',
    offline: 'Offline',
    maintenance: 'Maintenance',
  } satisfies Record<DeviceCondition, string>,
  cleaning: 'Being cleaned',
  inUse: 'In use',
  phone: 'Phone',
  standing: 'Activity',
  since: (from: string, to: string) =>
    ` has been using it since ${from}. The session ends at ${to} at the latest.`,
  maintenanceNext: 'Maintenance starts when the session ends.',
  note: (note: string) => `Note: ${note}`,
  problem: 'Problem:',
  whatToDo: 'Next step:',
  nothing: 'No action is needed.',
  lastUsed: (time: string) => `Last used ${time}.`,
  neverUsed: 'Never used.',
  noneTitle: 'No phones yet',
  none: 'Connect one to a host with USB debugging turned on. It appears here automatically.',

  rename: 'Rename…',
  renameTitle: (name: string) => `Rename ${name}`,
  nameField: 'Name',
  nameHint: (own: string) => `Leave empty for “${own}”, the name that the phone reports.`,
  renameSubmit: 'Rename',
  renamed: (name: string) => `The phone was renamed to ${name}.`,

  maintain: 'Maintenance…',
  maintainTitle: (name: string) => `Start maintenance of ${name}`,
  maintainExplain:
    'It cannot be borrowed until you end the maintenance. A session that is using it continues to its ' +
    'end first.',
  editNote: 'Edit note…',
  editNoteTitle: (name: string) => `Maintenance of ${name}`,
  noteField: 'Note',
  noteHint: 'Optional. A note for other operators.',
  maintainSubmit: 'Start maintenance',
  saveNote: 'Save note',
  maintained: (name: string) => `${name} is in maintenance.`,
  endMaintenance: 'End maintenance',
  maintenanceEnded: (name: string) => `${name} can be borrowed again.`,

  release: 'End session…',
  releaseTitle: (name: string) => `End the session of ${name}`,
  releaseExplain: (account: string) =>
    `The session of ${account} ends immediately, and its user sees the reason. The phone is then ` +
    'cleaned, and available afterwards.',
  reasonField: 'Reason for the user',
  reasonMissing: 'Enter a reason. It is shown to the user.',
  releaseSubmit: 'End session',
  released: (name: string) => `The session of ${name} has ended. The phone is being cleaned.`,

  move: 'Move to another host…',
  moveTitle: (name: string) => `Move ${name} to another host`,
  moveExplain: (host: string) =>
    `Its current host is ${host}. After the move, the phone is offline until the new host reports it, and reports from ${host} are rejected.`,
  noOtherHost: (host: string) =>
    `${host} is the only host that is not revoked. Add another one on the command line, with “phonebooth hosts add”.`,
  moveField: 'New host',
  moveSubmit: 'Move',
  moved: (name: string, host: string) => `${name} was moved to ${host}.`,

  forget: 'Delete…',
  forgetTitle: (name: string) => `Delete ${name}?`,
  forgetExplain:
    'The phone is removed from the list. Its sessions stay in the records. It is added again ' +
    'automatically when a host reports it.',
  forgetSubmit: 'Delete',
  forgotten: (name: string) => `${name} was deleted.`,
} as const;
