import { count } from './count.ts';

const phones = (total: number) => count(total, 'phone', 'phones');

/** Texts of the operators' pages about groups of phones. */
export const groupTexts = {
  title: 'Groups',
  count: (total: number) => count(total, 'group', 'groups'),
  explain:
    'A phone in a group exists for the accounts of its group alone: for all others it is in no list and cannot be borrowed. A phone in no group is everybody’s.',
  create: 'New group',
  group: 'Group',
  accounts: 'Accounts',
  noAccounts: 'None: nobody sees its phones',
  more: (total: number) => `and ${total} more`,
  phones: 'Phones',
  phonesOf: (name: string) => `Phones of ${name}`,
  phoneCount: phones,
  noPhones: 'None yet',
  noneTitle: 'No groups yet',
  none: 'Every account sees every phone. Make a group where only some may see and use a phone.',

  edit: 'Edit…',
  editTitle: (name: string) => `Edit ${name}`,
  createTitle: 'New group',
  name: 'Name',
  nameMissing: 'Give it a name that no other group has.',
  accountsField: 'Accounts that see its phones',
  searchAccounts: 'Search the accounts',
  noSuchAccount: 'No account is called this.',
  chosen: (total: number) =>
    total === 0
      ? 'None is chosen: nobody sees its phones.'
      : `${count(total, 'account', 'accounts')} chosen.`,
  save: 'Save',
  saved: (name: string) => `${name} is saved.`,
  createSubmit: 'Make the group',
  created: (name: string) => `The group ${name} is there. Put phones into it next, in the list of phones.`,

  delete: 'Delete…',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteExplain: 'No phone is in it, so nothing comes into anybody’s sight by this.',
  deleteNotYet: (total: number) =>
    `It has ${phones(total)}, which everybody would see. Put them into another group, or into none, first.`,
  deleteSubmit: 'Delete it',
  deleted: (name: string) => `The group ${name} is deleted.`,
  keep: 'Keep it',

  /** Labels in the operators' list of phones. */
  filter: 'Group',
  anyGroup: 'All groups',
  inNone: 'In no group',
  everybody: 'Everybody’s',
  move: 'Group…',
  moveTitle: (name: string) => `Who sees ${name}`,
  moveExplain:
    'It exists for the accounts of its group alone. A session that has it goes on to its end, whoever sees it then.',
  moveField: 'Group',
  noGroup: 'None: every account sees it',
  moveSubmit: 'Save',
  moved: (phone: string, group: string | null) =>
    group === null ? `Every account sees ${phone} now.` : `${phone} is in the group ${group} now.`,
} as const;
