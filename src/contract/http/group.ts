import { type Static, Type } from 'typebox';
import { none, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
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
const newGroup = {
  name: name('Unique name'),
  accounts: accounts('Identifiers of the accounts that can see the devices; no accounts if omitted'),
};

/** The request body that changes a group. Omitted fields keep their values. */
const groupChange = {
  name: Type.Optional(newGroup.name),
  accounts: accounts('Complete list of identifiers of the accounts that can see the devices'),
};

const groupParams = strict({ group_id: Type.String({ description: 'Group identifier' }) });

export const groupOperations = {
  'admin.groups.list': {
    method: 'GET',
    path: '/admin/groups',
    summary: 'List the device groups by name',
    access: 'admin',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Group),
    errors: [],
  },
  'admin.groups.create': {
    method: 'POST',
    path: '/admin/groups',
    summary: 'Create a device group',
    description:
      'Assign devices to the group with PATCH /admin/devices/{device_id}. Its devices are visible only to ' +
      'the accounts of the group: for all other accounts they are missing from lists and events, and ' +
      'requests for them fail with 40004.',
    access: 'admin',
    params: none,
    query: none,
    body: strict(newGroup),
    answer: Group,
    errors: ['idempotencyConflict'],
    idempotencyKey: true,
  },
  'admin.groups.update': {
    method: 'PATCH',
    path: '/admin/groups/{group_id}',
    summary: 'Rename a device group, or change which accounts can see its devices',
    description:
      'Fields that are not in the body keep their values. Event streams of added or removed accounts ' +
      'receive `reset`. Running sessions continue, even if their account can no longer see the device.',
    access: 'admin',
    params: groupParams,
    query: none,
    body: strict(groupChange),
    answer: Group,
    errors: ['resourceNotFound'],
  },
  'admin.groups.delete': {
    method: 'DELETE',
    path: '/admin/groups/{group_id}',
    summary: 'Delete an empty device group',
    description:
      'Fails with 40000 if the group has devices, because they would become visible to all accounts: ' +
      'assign them to another group, or to none, first. A device that was deleted while it was in the ' +
      'group is in maintenance when its host reports it again.',
    access: 'admin',
    params: groupParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
