import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import type { DeviceStore } from './device-store.ts';
import { getDevice, getDevices, listDevices } from './devices.ts';
import { fleetCounts } from './fleet-counts.ts';
import { deleteDevice, getFleetDevice, listFleetDevices, updateDevice } from './fleet-devices.ts';
import type { GroupStore } from './group-store.ts';
import { createGroup, deleteGroup, listGroups, updateGroup } from './groups.ts';
import { groupsOf } from './visibility.ts';

export const deviceStore = (engine: Engine): DeviceStore & GroupStore =>
  bind(engine, {
    listDevices,
    getDevice,
    getDevices,
    groupsOf,
    listFleetDevices,
    getFleetDevice,
    updateDevice,
    deleteDevice,
    fleetCounts,
    listGroups,
    createGroup,
    updateGroup,
    deleteGroup,
  });
