/**
 * File types of apps for the browser's file dialog. The service rejects a file that is not an app and returns the
 * reason.
 */
export const APP_FILES = '.apk,.apks,.xapk,application/vnd.android.package-archive';
