import { Type } from 'typebox';
import { Group, groupChange, newGroup } from './group.ts';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

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
