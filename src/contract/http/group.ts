import { type Static, Type } from 'typebox';
import { timestamp } from './operation.ts';
import { name } from './text.ts';

/** Maximum number of accounts of a group. */
export const MAX_ACCOUNTS_PER_GROUP = 500;

/** A filter value that selects devices without a group. No group identifier has this value. */
export const NO_GROUP = 'none';

/** A set of devices that only some accounts can see. */
export const Group = Type.Object(
  {
    id: Type.String({ description: 'Group identifier' }),
    name: Type.String({ description: 'What it is called; no two groups are called the same' }),
    accounts: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Those that see its devices and may use them, by name',
    }),
    devices: Type.Integer({ minimum: 0, description: 'How many are in it, whatever their condition' }),
    created_at: timestamp('When it was made'),
  },
  { title: 'Group' },
);
export type Group = Static<typeof Group>;

const accounts = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: MAX_ACCOUNTS_PER_GROUP,
      uniqueItems: true,
      description,
    }),
  );

/** The request body that creates a group. */
export const newGroup = {
  name: name('What it is called; no other group may be called so'),
  accounts: accounts('Identifiers of the accounts that are to see its devices; none without it'),
};

/** The request body that changes a group. Omitted fields keep their values. */
export const groupChange = {
  name: Type.Optional(newGroup.name),
  accounts: accounts('Identifiers of all accounts that are to see its devices from now on'),
};
