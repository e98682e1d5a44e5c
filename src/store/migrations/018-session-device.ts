import type { Migration } from './migration.ts';

/**
 * device_name, device_model: the name and model of the device when the session was created, because a device that is in
 * maintenance or was removed is no longer visible to the session's account. null for a session that a process of an
 * earlier version creates. The update of the existing sessions writes no events, because no column that the triggers
 * compare changes.
 */
export const sessionDevice: Migration = {
  id: 18,
  name: 'session device',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    `alter table sessions add column device_name ${text}`,
    `alter table sessions add column device_model ${text}`,
    `update sessions set
       device_name = (select name from devices where devices.id = sessions.device_id),
       device_model = (select model from devices where devices.id = sessions.device_id)`,
  ],
};
