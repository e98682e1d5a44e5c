import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { connectFields, type Duration, Session } from './session.ts';

export const DeviceStatus = Type.Union([Type.Literal('available'), Type.Literal('busy')], {
  description: 'available: ready to connect. busy: in use, being prepared or being cleaned.',
});
export type DeviceStatus = Static<typeof DeviceStatus>;

export const PLATFORMS = ['android'] as const;
export const Platform = Type.Enum([...PLATFORMS], { description: 'Operating system of the device' });
export type Platform = Static<typeof Platform>;

export const DEVICE_KINDS = ['simulated', 'physical'] as const;
export const DeviceKind = Type.Enum([...DEVICE_KINDS], {
  description: 'simulated: drawn by its host, without hardware. physical: a real device.',
});
export type DeviceKind = Static<typeof DeviceKind>;

/** What a host reports about a phone that every client may see. */
const description = {
  id: Type.String({ description: 'Unique device identifier' }),
  name: Type.String({ description: 'Device name' }),
  brand: Type.String({ description: 'Lower-case brand name' }),
  model: Type.String({ description: 'Model code' }),
  os_version: Type.String({ description: 'OS version, such as a major version number' }),
  screen_size: Type.String({
    description: 'Screen size in inches, a decimal number',
    pattern: '^\\d+(\\.\\d+)?$',
  }),
  resolution: Type.String({
    description: 'Screen resolution, <width>x<height> in pixels',
    pattern: '^\\d+x\\d+$',
  }),
  platform: Platform,
  kind: DeviceKind,
  battery_percent: nullable(
    Type.Integer({ minimum: 0, maximum: 100 }),
    'Charge of the battery, at most a few minutes old; null if the device does not report it',
  ),
};

export const DeviceDescription = Type.Object(description, { title: 'DeviceDescription' });
export type DeviceDescription = Static<typeof DeviceDescription>;

export const Device = Type.Object(
  {
    ...description,
    status: DeviceStatus,
    free_at: nullable(
      timestamp('Latest time at which the current session ends'),
      'null if no session holds the device: it is available, or is being prepared or cleaned',
    ),
    host: Type.Optional(
      Type.Object(
        { id: Type.String(), name: Type.String() },
        { description: 'Host of the device. Only in responses to keys with the role `admin`, not in events' },
      ),
    ),
  },
  { title: 'Device' },
);
export type Device = Static<typeof Device>;

export const DeviceDetails = Type.Object(
  {
    ...Device.properties,
    capabilities: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'Control methods that the device supports, and `files` if files can be transferred; null if its host has ' +
        'not reported them',
    }),
  },
  { title: 'DeviceDetails' },
);
export type DeviceDetails = Static<typeof DeviceDetails>;

export const DeviceFilters = {
  brand: Type.Optional(Type.String({ description: 'Only devices of this brand; case-insensitive' })),
  os_version: Type.Optional(Type.String({ description: 'Only devices with this OS version' })),
  status: Type.Optional(
    Type.Union([DeviceStatus, Type.Literal('')], {
      description: 'Only devices with this status; an empty value matches any',
    }),
  ),
  platform: Type.Optional(Platform),
  kind: Type.Optional(DeviceKind),
};
export type DeviceFilters = Static<Type.TObject<typeof DeviceFilters>>;

export const deviceParams = strict({ device_id: Type.String({ description: 'Device identifier' }) });

export const deviceOperations = (duration: Duration) =>
  ({
    'devices.list': {
      method: 'GET',
      path: '/devices',
      summary: 'List devices',
      access: 'read',
      params: none,
      query: strict({ ...DeviceFilters, ...PageQuery }),
      body: none,
      answer: pageSchema(Device),
      errors: [],
    },
    'devices.get': {
      method: 'GET',
      path: '/devices/{device_id}',
      summary: 'Show one device',
      access: 'read',
      params: deviceParams,
      query: none,
      body: none,
      answer: DeviceDetails,
      errors: ['deviceNotFound'],
    },
    'devices.connect': {
      method: 'POST',
      path: '/devices/{device_id}/connect',
      summary: 'Create a connection session to a device',
      access: 'borrow',
      params: deviceParams,
      query: none,
      body: strict(connectFields(duration)),
      answer: Session,
      errors: ['deviceNotFound', 'appNotFound', 'deviceUnavailable', 'quotaExceeded', 'idempotencyConflict'],
      idempotencyKey: true,
    },
  }) as const satisfies Record<string, Operation>;
