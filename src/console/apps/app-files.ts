/** What an app's file is called, for the browser's dialog; whatever is no app the service refuses, in words. */
export const APP_FILES = '.apk,.apks,.xapk,application/vnd.android.package-archive';
