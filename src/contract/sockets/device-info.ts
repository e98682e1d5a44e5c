import { Type } from 'typebox';

const bytes = (description: string) => Type.Integer({ minimum: 0, description });

/** The result of `device.info`. A phone leaves out the facts that it does not report. */
export const deviceInfo = Type.Object({
  os_version: Type.Optional(Type.String({ description: 'Complete version of the operating system' })),
  api_level: Type.Optional(Type.Integer({ description: 'API level of Android' })),
  security_patch: Type.Optional(
    Type.String({ description: 'Date of the security patch, such as 2025-01-05' }),
  ),
  build: Type.Optional(Type.String({ description: 'Name of the build, as the phone displays it' })),
  manufacturer: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  abi: Type.Optional(Type.String({ description: 'Instruction set, such as arm64-v8a' })),
  screen: Type.Optional(
    Type.Object({
      width: Type.Integer({ description: 'In pixels' }),
      height: Type.Integer(),
      density: Type.Optional(Type.Integer({ description: 'Pixels per inch that apps are laid out for' })),
    }),
  ),
  battery: Type.Optional(
    Type.Object({
      percent: Type.Integer({ minimum: 0, maximum: 100 }),
      charging: Type.Optional(Type.Boolean({ description: 'true if it is charging or full' })),
    }),
  ),
  storage: Type.Optional(
    Type.Object({
      total_bytes: bytes('Storage for apps and data'),
      free_bytes: bytes('Available part of it'),
    }),
  ),
  memory: Type.Optional(Type.Object({ total_bytes: bytes('Memory that Android can use') })),
  network: Type.Optional(
    Type.Object({
      kind: Type.Enum(['wifi', 'ethernet', 'mobile']),
      name: Type.Optional(Type.String({ description: 'Name of the Wi-Fi network' })),
      addresses: Type.Array(Type.String({ description: 'IP address of the phone' })),
    }),
  ),
});
