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
    name: Type.String({ description: 'Unique name' }),
    accounts: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Accounts that can see and use the devices, by name',
    }),
    devices: Type.Integer({ minimum: 0, description: 'Number of devices in the group, in any condition' }),
    created_at: timestamp('Creation time'),
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
  name: name('Unique name'),
  accounts: accounts('Identifiers of the accounts that can see the devices; no accounts if omitted'),
};

/** The request body that changes a group. Omitted fields keep their values. */
export const groupChange = {
  name: Type.Optional(newGroup.name),
  accounts: accounts('Complete list of identifiers of the accounts that can see the devices'),
};
