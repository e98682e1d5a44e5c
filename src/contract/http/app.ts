import { type Static, Type } from 'typebox';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

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

const appParams = strict({ app_id: Type.String({ description: 'Application identifier' }) });

export const appOperations = {
  'apps.upload': {
    method: 'POST',
    path: '/apps',
    summary:
      'Upload an application: an .apk, or an .apks or .xapk with its splits; an account can have at most ' +
      `${MAX_APPS_PER_ACCOUNT}`,
    access: 'borrow',
    params: none,
    query: none,
    body: none,
    upload: APP_MEDIA_TYPES,
    uploadLimit: 'PHONEBOOTH_MAX_APP_SIZE',
    answer: App,
    errors: ['quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'apps.list': {
    method: 'GET',
    path: '/apps',
    summary: 'List the account’s applications, newest first',
    access: 'read',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(App),
    errors: [],
  },
  'apps.get': {
    method: 'GET',
    path: '/apps/{app_id}',
    summary: 'Show one application',
    access: 'read',
    params: appParams,
    query: none,
    body: none,
    answer: App,
    errors: ['appNotFound'],
  },
  'apps.icon': {
    method: 'GET',
    path: '/apps/{app_id}/icon',
    summary: 'Get the icon of an application, as PNG or WebP',
    access: 'read',
    params: appParams,
    query: none,
    body: none,
    answer: 'image/*',
    errors: ['appNotFound'],
  },
  'apps.delete': {
    method: 'DELETE',
    path: '/apps/{app_id}',
    summary: 'Delete an application; installations that were already requested are still carried out',
    access: 'borrow',
    params: appParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['appNotFound'],
  },
} as const satisfies Record<string, Operation>;
