import type { EndReason } from '../../contract/http/session.ts';
import { minutes } from './count.ts';

/** Texts of the page of a session. */
export const sessionTexts = {
  back: 'Phones',
  timeLeft: 'Time left',
  extend: 'Extend',
  extendTitle: 'Extend session',
  extendExplain: 'Adds time to this session, taken from your quota like the first minutes.',
  extendSubmit: (value: number) => `Add ${minutes(value)}`,
  extended: (value: number) => `${minutes(value)} added.`,
  disconnect: 'Disconnect',
  screenOf: (name: string) => `Screen of ${name}`,
  typeHere: (name: string) =>
    `Keyboard for ${name}. Shift and Tab leaves the phone. Escape is the phone’s Back.`,
  hint: 'Click the phone to type on it. Right click is Back, middle click Home, Ctrl and drag pinches.',
  typing: 'What you type goes to the phone. Shift + Tab leaves it.',
  starting: 'Starting the phone…',
  startingDetail: 'This takes a few seconds.',
  connectingPicture: 'Getting the picture…',
  reconnecting: 'Connection lost. Reconnecting…',
  reconnectingDetail: 'Your session goes on.',
  pictureAge: (age: string) => `This picture is ${age} old.`,
  paused: 'Paused while out of sight',
  over: 'The session is over',
  noDecoder:
    'This browser cannot show the phone’s picture. Try a current version of Chrome, Edge, Firefox or Safari.',
  takenTitle: 'Controlled from elsewhere',
  taken: 'Another window or program took control of this phone. You can watch, or take control back.',
  takeBack: 'Take control back',
  controlLost: 'Control is reconnecting…',
  expiring: (left: string) => `This session ends in ${left}.`,
  aMinute: 'a minute',
  tenSeconds: 'ten seconds',
  expiringSoon: (left: string) => `This session ends in less than ${left}. Add time if you need it longer.`,
  quickExtend: (value: number) => `Add ${value} minutes`,
  dismiss: 'Dismiss',
  copiedOnPhone: 'Copied on the phone.',
  copyHere: 'Copy it here',
  copied: 'Copied.',
  copiedHereToo: 'Copied on the phone, and here.',
  copyFailed: 'The browser did not allow copying. Click into the page and try again.',
  commandFailed: (message: string) => `The phone did not do that: ${message}.`,
  notReady: 'The phone is not ready yet. Wait a moment, then try again.',
  loading: 'Opening the session…',
  unreachable: 'The service does not answer. What you see may be old.',
  status: { connecting: 'Starting', connected: 'Connected', disconnected: 'Ended' },
} as const;

export const controlTexts = {
  label: 'Phone controls',
  back: 'Back',
  home: 'Home',
  apps: 'App switcher',
  power: 'Power',
  volumeUp: 'Volume up',
  volumeDown: 'Volume down',
  rotate: 'Rotate',
  screenshot: 'Screenshot',
  record: 'Record a video',
  stopRecording: 'Stop recording',
  keyboard: 'Type on the phone',
  leaveKeyboard: 'Stop typing on the phone',
  fullscreen: 'Full screen',
  leaveFullscreen: 'Leave full screen',
  fullscreenFailed: 'The browser did not allow full screen. Try again with a click into the page.',
  more: 'More',
  actualSize: 'Actual size (one pixel for one)',
  share: 'Share to watch…',
  statistics: 'Statistics',
  wall: 'All my phones side by side',
  help: 'Mouse and keyboard help',
  tools: 'Tools',
} as const;

export const helpTexts = {
  title: 'Mouse and keyboard',
  close: 'Close',
  rows: [
    ['Click or drag', 'Touch'],
    ['Ctrl + drag', 'Pinch with two fingers'],
    ['Wheel', 'Scroll'],
    ['Right click', 'Back'],
    ['Middle click', 'Home'],
    ['Typing', 'Text, once the phone is clicked or its keyboard button pressed'],
    ['Esc', 'Back'],
    ['Ctrl + V', 'Paste your clipboard on the phone'],
    ['Ctrl + C', 'Copy on the phone, to your clipboard too'],
    ['Ctrl + X, A, Z', 'Cut, select all, undo on the phone'],
    ['Shift + Tab', 'Leave the phone'],
  ] as readonly (readonly [string, string])[],
} as const;

export const recordingTexts = {
  starting: 'Waiting for a picture to begin with…',
  inMemory: (size: string) =>
    `This browser keeps the video in memory until you stop it: ${size} at the most.`,
  running: (time: string) => `Recording ${time}`,
  saving: 'Saving the video…',
  saved: (count: number) =>
    count === 1
      ? 'The video is in your downloads.'
      : `${count} videos are in your downloads: a new one begins where the phone is turned.`,
  nothing: 'Nothing was recorded: the phone sent no picture. Try again when it shows one.',
  noKeyframe: 'The recording was ended: the phone sent no picture to go on with. Try again.',
  full: (size: string) =>
    `The recording was ended at ${size}, the most that this browser can keep. Begin another one.`,
  tooSlow: 'The recording was ended: this machine writes too slowly. Close other programs, then try again.',
  failed: (message: string) => `The recording was ended: ${message}. What came before is saved; try again.`,
} as const;

export const statisticsTexts = {
  title: 'Statistics',
  close: 'Close the statistics',
  fps: 'Pictures',
  fpsValue: (drawn: number, received: number) =>
    received === 0 && drawn === 0 ? '0 a second (still)' : `${drawn} of ${received} a second`,
  bitRate: 'Bit rate',
  bitRateValue: (bits: number) =>
    bits >= 1_000_000 ? `${(bits / 1e6).toFixed(1)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`,
  dropped: 'Left out',
  droppedValue: (groups: number) => (groups === 1 ? '1 group' : `${groups} groups`),
  waiting: 'Waiting to be decoded',
  size: 'Picture size',
  sizeValue: (width: number, height: number) => `${width} × ${height}`,
  touch: 'Touch to picture',
  touchValue: (last: number, median: number) => `${last} ms, median ${median}`,
  touchNone: 'Touch a still screen',
  roundTrip: 'Round trip',
  milliseconds: (value: number) => `${value} ms`,
  unknown: '—',
} as const;

export const shareTexts = {
  title: 'Share to watch',
  explain:
    'Anyone with a watch link sees the phone’s screen, without a key and without controlling it, until the session ends or you revoke the link.',
  until: (time: string) => `The session ends at ${time}, or later if you extend it.`,
  create: 'Create link',
  links: 'Watch links of this session',
  created: (time: string, by: string) => `Created at ${time} by ${by}`,
  revoke: 'Revoke',
  revokeOne: (link: string) => `Revoke: ${link}`,
  revoked: 'Revoked',
  link: 'Watch link',
  copy: 'Copy link',
  copied: 'Link copied. Anyone with it can watch, not control, until the session ends or you revoke it.',
  programs: 'Stream address for programs',
  programsExplain: 'For programs that decode the stream themselves.',
  copyAddress: 'Copy address',
  addressCopied:
    'Stream address copied. Anyone with it can watch, not control, until the session ends or you revoke it.',
} as const;

export const watchTexts = {
  title: (name: string) => (name === '' ? 'Watching a phone' : `Watching ${name}`),
  phone: 'the phone',
  viewOnly: 'View only',
  live: 'Live',
  brokenTitle: 'This is not a valid watch link',
  broken: 'Part of the address is missing. Ask whoever sent it to copy it again, as a whole.',
  refusedTitle: 'There is nothing to watch',
  refused: 'The session has ended, the link was revoked, or it is incomplete. Ask the sender for a new link.',
  unreachable: 'The service cannot be reached. It is tried again by itself; check that you are online.',
  retry: 'Try again',
  endedTitle: 'The session has ended',
  revokedTitle: 'You can no longer watch this phone',
  endedUnknown: 'There is nothing more to see. Ask the sender of the link for a new one.',
  ended: {
    client: 'The phone was given back.',
    expired: 'The time was up.',
    idle: 'Nobody used the phone for a while.',
    takenBack: 'An operator ended the session, or the link was revoked.',
    deviceLost: 'The phone was lost: it was unplugged, or it stopped answering.',
    couldNotStart: 'The phone could not be started.',
  },
  fullscreen: 'Full screen',
  leaveFullscreen: 'Leave full screen',
} as const;

export const wallTexts = {
  title: 'Side by side',
  label: (name: string) => `Phone ${name}`,
  detail: (shown: number, all: number) => (shown === all ? '' : `${shown} of ${all} phones`),
  showAll: 'Show all',
  control: 'Control',
  controlOne: (name: string) => `Control ${name}`,
  controlHint: 'Only watched until you do: a program that controls the phone would lose it.',
  open: (name: string) => `Open ${name} alone`,
  hide: (name: string) => `Hide ${name}`,
  noneTitle: 'No phones to show',
  none: 'Connect to a few phones, and they are here side by side.',
  toDevices: 'See the phones',
} as const;

export const endedTexts = {
  title: 'Session ended',
  lasted: (length: string) => `It lasted ${length}.`,
  charged: (value: number, reserved: number) => {
    if (value === 0) return 'Nothing was charged.';
    const returned = reserved - value;
    return returned > 0
      ? `${minutes(value)} charged, ${minutes(returned)} given back.`
      : `${minutes(value)} charged.`;
  },
  detail: 'In detail:',
  again: 'Connect again',
  toDevices: 'Back to phones',
  toSessions: 'All sessions',
  reasons: {
    client: 'You gave the phone back.',
    expired: 'The time was up. Connect again for a longer time, or extend before it runs out.',
    idle: 'Nobody used the phone for a while, so it was given back. Connect again to go on.',
    start_failed: 'The phone could not be started. Try again, or take another phone.',
    start_timeout: 'The phone did not start in time. Try again, or take another phone.',
    device_lost: 'The phone was lost: it was unplugged, or it stopped answering. Take another phone.',
    host_lost: 'The machine that the phone is plugged into stopped answering. Take another phone.',
    admin:
      'The phone was taken back: by an operator, or with the key that it was lent to. Take another phone.',
  } satisfies Record<EndReason, string>,
  unknown: 'The session is over. Connect again to go on.',
} as const;
