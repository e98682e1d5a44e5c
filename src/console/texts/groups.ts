import { count } from './count.ts';

const phones = (total: number) => count(total, 'phone', 'phones');

/** Texts of the operators' pages about groups of phones. */
export const groupTexts = {
  title: 'Groups',
  count: (total: number) => count(total, 'group', 'groups'),
  explain:
    'Only the accounts of a group can see and borrow its phones. All accounts can see and borrow a phone ' +
    'without a group.',
  create: 'New group',
  group: 'Group',
  accounts: 'Accounts',
  noAccounts: 'None: no account can see its phones',
  more: (total: number) => `and ${total} more`,
  phones: 'Phones',
  phonesOf: (name: string) => `Phones of ${name}`,
  phoneCount: phones,
  noPhones: 'None',
  noneTitle: 'No groups yet',
  none: 'All accounts can see all phones. Create a group to restrict phones to some accounts.',

  edit: 'Edit…',
  editTitle: (name: string) => `Edit ${name}`,
  createTitle: 'New group',
  name: 'Name',
  nameMissing: 'Enter a name that no other group uses.',
  accountsField: 'Accounts that can see its phones',
  searchAccounts: 'Search accounts',
  noSuchAccount: 'No account matches.',
  chosen: (total: number) =>
    total === 0
      ? 'No account is selected: no account can see its phones.'
      : `${count(total, 'account', 'accounts')} selected.`,
  save: 'Save',
  saved: (name: string) => `${name} was saved.`,
  createSubmit: 'Create group',
  created: (name: string) => `The group ${name} was created. Add phones to it next, in the list of phones.`,

  delete: 'Delete…',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteExplain: 'The group has no phones, so its deletion changes no phone’s visibility.',
  deleteNotYet: (total: number) =>
    `It has ${phones(total)}, which would become visible to all accounts. First assign its phones to another ` +
    'group or to none.',
  showPhones: 'Show its phones',
  deleteSubmit: 'Delete',
  deleted: (name: string) => `The group ${name} was deleted.`,

  /** Labels in the operators' list of phones. */
  filter: 'Group',
  anyGroup: 'All groups',
  inNone: 'Without a group',
  allAccounts: 'None',
  move: 'Group…',
  moveTitle: (name: string) => `Visibility of ${name}`,
  moveExplain: 'Only the accounts of its group can see it. A running session continues to its end.',
  moveField: 'Group',
  noGroup: 'None: all accounts can see it',
  moveSubmit: 'Save',
  moved: (phone: string, group: string | null) =>
    group === null ? `All accounts can now see ${phone}.` : `${phone} is now in the group ${group}.`,
} as const;
