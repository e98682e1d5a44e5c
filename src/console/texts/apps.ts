import { count } from './count.ts';

/** Texts about apps: the page of apps, uploads, and installation on a phone. */
export const appTexts = {
  title: 'Apps',
  count: (total: number) => count(total, 'app', 'apps'),
  upload: 'Upload an app',
  drop: 'Drop the file to upload it',
  dropDetail: '.apk, .apks or .xapk',
  name: 'App',
  version: 'Version',
  versionCode: (code: number) => `code ${code}`,
  size: 'Size',
  uploaded: 'Uploaded',
  actions: 'Actions',
  sent: (sent: string, total: string) => `${sent} of ${total}`,
  waiting: 'Waiting',
  reading: 'Reading the file…',
  progressOf: (name: string) => `Upload of ${name}`,
  uploads: 'Uploads',
  cancel: (name: string) => `Cancel the upload of ${name}`,
  dismiss: (name: string) => `Dismiss the failed upload of ${name}`,
  done: (name: string) => `${name} was uploaded.`,
  tooMany: (most: number) => `You can upload at most ${most} files at once. Upload the others afterwards.`,
  refusedFile: (words: string) => `This file ${words}.`,
  notAnApp: (file: string) => `${file} is not an Android app. Upload an .apk, .apks or .xapk file.`,
  failed: (file: string, sentence: string) => `${file} was not uploaded. ${sentence}`,
  delete: 'Delete',
  deleteOne: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteExplain: (name: string, version: string) =>
    `You can no longer install ${version === '' ? name : `${name} ${version}`} from here. Phones that have it keep it until their session ends.`,
  noneTitle: 'No apps yet',
  none:
    'Upload an .apk, or drop one anywhere on this page. You can then install it on any phone that you ' +
    'connect to.',

  choose: 'App to install',
  chooseNone: 'No app',
  chooseHint: 'Optional. It is removed when the session ends.',
  chooseEmpty: 'You have not uploaded any apps yet.',
  chooseEmptyLink: 'Upload one',
  chooseNewest: (shown: number) => `These are your ${shown} newest apps.`,

  installing: (name: string, percent: number | null) =>
    percent === null ? `Installing ${name}…` : `Installing ${name}… ${percent} %`,
  pending: (name: string) => `${name} will be installed when the phone is ready.`,
  installed: (name: string) => `${name} was installed.`,
  installFailed: (name: string) => `${name} could not be installed.`,
  installFailedStep: 'Upload a build that is compatible with this phone, or try another phone.',
  open: 'Open it',
  anApp: 'The app',
} as const;
