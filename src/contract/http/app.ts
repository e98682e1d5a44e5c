import { type Static, Type } from 'typebox';

/**
 * Media types of an upload whose body is the file itself. A form (`multipart/form-data`) contains the file as its
 * only file.
 */
export const APP_MEDIA_TYPES = [
  'application/octet-stream',
  'application/vnd.android.package-archive',
] as const;

/**
 * Maximum number of apps of an account. It stops a continuous build that never deletes apps before the disk is full.
 */
export const MAX_APPS_PER_ACCOUNT = 500;

/**
 * Maximum ratio between the unpacked and the packed size of an archive with several APKs. APKs are already
 * compressed, so such an archive rarely unpacks to twice its size.
 */
export const MAX_UNPACK_RATIO = 20;

/** An uploaded application: one APK, or a bundle of an APK and its splits. */
export const App = Type.Object(
  {
    id: Type.String({ description: 'Application identifier' }),
    name: Type.String({ description: 'Label that phones show; the package name if the app has no label' }),
    package: Type.String({ description: 'Android package name' }),
    version: Type.String({ description: 'Version name; empty if the app has none' }),
    version_code: Type.Integer({ minimum: 0, description: 'Version code' }),
    min_sdk: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Lowest Android API level that the app supports',
    }),
    size: Type.Integer({
      minimum: 1,
      description:
        'Size on the disk of the service, unpacked, in bytes; it counts against the account’s limit',
    }),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the uploaded file, in hexadecimal',
    }),
    created_at: Type.String({ format: 'date-time', description: 'Time of the first upload' }),
    icon_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the icon, relative to the base URL; null if the app only has a vector icon',
    }),
  },
  { title: 'App' },
);
export type App = Static<typeof App>;
