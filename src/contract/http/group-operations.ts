import { Type } from 'typebox';
import { Group, groupChange, newGroup } from './group.ts';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

const groupParams = strict({ group_id: Type.String({ description: 'Group identifier' }) });

export const groupOperations = {
  'admin.groups.list': {
    method: 'GET',
    path: '/admin/groups',
    summary: 'List the groups of devices, by name',
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
    summary: 'Make a group of devices',
    description:
      'A device is put into it by PATCH /admin/devices/{device_id}. From then on it exists only for the accounts of its ' +
      'group: for all others it is in no list and no event, and asking for it is 40004.',
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
    summary: 'Rename a group of devices, or say which accounts see them',
    description:
      'What is not in the body stays as it is. Accounts that come or go are told `reset` where they listen to events. ' +
      'Sessions that live go on, whoever sees their device.',
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
    summary: 'Delete a group without devices',
    description:
      'One that has devices is 40000, since they would be everybody’s: put them into another, or into none, first. A ' +
      'device that was forgotten while it was in the group is in maintenance when it comes back.',
    access: 'admin',
    params: groupParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
