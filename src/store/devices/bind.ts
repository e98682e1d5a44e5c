import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { DevicePages } from './device-pages.ts';
import type { DeviceStore } from './device-store.ts';
import { getDevice, getDevices } from './devices.ts';
import { getFleetCounts } from './fleet-counts.ts';
import { deleteDevice, getFleetDevice, listFleetDevices, updateDevice } from './fleet-devices.ts';
import type { GroupStore } from './group-store.ts';
import { createGroup, deleteGroup, listGroups, updateGroup } from './groups.ts';
import { listGroupsOf } from './visibility.ts';

export function deviceStore(engine: Engine): DeviceStore & GroupStore {
  const pages = new DevicePages(engine);
  const functions = bind(engine, {
    getDevice,
    getDevices,
    listGroupsOf,
    listFleetDevices,
    getFleetDevice,
    updateDevice,
    deleteDevice,
    getFleetCounts,
    listGroups,
    createGroup,
    updateGroup,
    deleteGroup,
  });
  return { ...functions, listDevices: (query) => pages.list(query) };
}
