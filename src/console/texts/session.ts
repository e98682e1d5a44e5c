import type { EndReason } from '../../contract/http/session.ts';
import { minutes } from './count.ts';

/** Texts of the page of a session. */
export const sessionTexts = {
  back: 'Phones',
  webDriver: {
    title: 'WebDriver commands',
    running: 'Running',
    succeeded: 'Succeeded',
    duration: (ms: number) => `${ms} ms`,
  },
  timeLeft: 'Time left',
  extend: 'Extend',
  extendTitle: 'Extend session',
  extendExplain: 'The added time is taken from your quota.',
  extendSubmit: (value: number) => `Add ${minutes(value)}`,
  extended: (value: number) => `${minutes(value)} added.`,
  end: 'End session',
  endShort: 'End',
  endTitle: 'End this session?',
  endInstalling: 'An app is being installed. The installation stops.',
  endWatched: (links: number) =>
    links === 1
      ? 'The session is shared with a watch link. Viewers are disconnected.'
      : `The session is shared with ${links} watch links. Viewers are disconnected.`,
  screenOf: (name: string) => `Screen of ${name}`,
  typeHere: (name: string) =>
    `Keyboard for ${name}. Shift and Tab leaves the phone. Escape is the phone’s Back key.`,
  hint: 'Click the phone to type on it. Right-click for Back, middle-click for Home, Ctrl and drag to pinch.',
  typing: 'Your typing goes to the phone. Press Shift + Tab to leave it.',
  starting: 'Starting the phone…',
  startingDetail: 'This takes a few seconds.',
  waitingForVideo: 'Waiting for the video…',
  reconnecting: 'Connection lost. Reconnecting…',
  reconnectingDetail: 'Input is paused. Your session continues.',
  silent: 'The connection does not respond',
  frameAge: (age: string) => `This frame is ${age} old.`,
  paused: 'Paused while not visible',
  over: 'The session has ended',
  noDecoder:
    'This browser cannot play the phone’s video. Use a current version of Chrome, Edge, Firefox or ' +
    'Safari.',
  takenTitle: (by: string | null) => `${by ?? 'Another client'} has control`,
  taken: 'You can watch, or take control back.',
  takenByOwnKey: 'Another window or program of yours',
  takeBack: 'Take control back',
  controlLost: 'Control is reconnecting…',
  expiring: (left: string) => `This session ends in ${left}.`,
  aMinute: 'a minute',
  tenSeconds: 'ten seconds',
  expiringSoon: (left: string) => `This session ends in less than ${left}. Extend it if you need more time.`,
  quickExtend: (value: number) => `Add ${value} minutes`,
  dismiss: 'Dismiss',
  copiedOnPhone: 'Copied on the phone.',
  copyHere: 'Copy to this computer',
  copied: 'Copied.',
  copiedHereToo: 'Copied on the phone and on this computer.',
  copyFailed: 'The browser did not allow copying. Click the page and try again.',
  commandFailed: (message: string) => `The command failed on the phone: ${message}.`,
  notReady: 'The phone is not ready yet. Wait a moment, then try again.',
  loading: 'Opening the session…',
  unreachable: 'The service does not respond. The data on this page may be outdated.',
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
  fullscreenFailed: 'The browser did not allow full screen. Click the page and try again.',
  more: 'More',
  actualSize: 'Actual size (1:1 pixels)',
  share: 'Share to watch…',
  statistics: 'Statistics',
  wall: 'All my phones side by side',
  help: 'Mouse and keyboard help',
  tools: 'Tools',
} as const;

export const helpTexts = {
  title: 'Mouse and keyboard',
  close: 'Close',
  onPhone: 'On the phone',
  shortcuts: 'Shortcuts',
  palette: 'Commands: connect, open, go to',
  thisHelp: 'This help',
  rows: [
    ['Click or drag', 'Touch'],
    ['Ctrl + drag', 'Pinch with two fingers'],
    ['Wheel', 'Scroll'],
    ['Right click', 'Back'],
    ['Middle click', 'Home'],
    ['Typing', 'Text, after you click the phone or its keyboard button'],
    ['Esc', 'Back'],
    ['Ctrl + V', 'Paste your clipboard on the phone'],
    ['Ctrl + C', 'Copy on the phone and to your clipboard'],
    ['Ctrl + X, A, Z', 'Cut, select all, undo on the phone'],
    ['Shift + Tab', 'Leave the phone'],
  ] as readonly (readonly [string, string])[],
} as const;

export const recordingTexts = {
  starting: 'Waiting for the first frame…',
  inMemory: (size: string) =>
    `The browser keeps the video in memory until you stop recording: ${size} at most.`,
  running: (time: string) => `Recording ${time}`,
  saving: 'Saving the video…',
  saved: (count: number) =>
    count === 1
      ? 'The video is in your downloads folder.'
      : `${count} videos are in your downloads folder: a new one starts whenever the phone is rotated.`,
  nothing: 'Nothing was recorded, because the phone sent no frame. Try again when the screen is shown.',
  noKeyframe: 'The recording stopped, because the phone sent no more frames. Try again.',
  full: (size: string) =>
    `The recording stopped at ${size}, the most that this browser can keep. Start another one.`,
  tooSlow:
    'The recording stopped, because this machine writes too slowly. Close other programs, then try again.',
  failed: (message: string) =>
    `The recording stopped: ${message}. The video up to this point was saved. Try again.`,
} as const;

export const statisticsTexts = {
  title: 'Statistics',
  close: 'Close the statistics',
  fps: 'Frames',
  fpsValue: (drawn: number, received: number) =>
    received === 0 && drawn === 0 ? '0 a second (still)' : `${drawn} of ${received} a second`,
  bitRate: 'Bit rate',
  bitRateValue: (bits: number) =>
    bits >= 1_000_000 ? `${(bits / 1e6).toFixed(1)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`,
  dropped: 'Dropped',
  droppedValue: (groups: number) => (groups === 1 ? '1 GOP' : `${groups} GOPs`),
  waiting: 'Decoder queue',
  size: 'Video size',
  sizeValue: (width: number, height: number) => `${width} × ${height}`,
  touch: 'Touch latency',
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
  links: { screen: 'Watch links of this session', recording: 'Links to this recording' },
  created: (time: string, by: string) => `Created at ${time} by ${by}`,
  createdOn: (time: string, by: string) => `Created ${time} by ${by}`,
  expires: (time: string) => `expires ${time}`,
  expired: 'Expired',
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
  broken: 'Part of the URL is missing. Ask the sender to copy the whole URL.',
  refusedTitle: 'There is nothing to watch',
  refused: 'The session has ended, the link was revoked, or it is incomplete. Ask the sender for a new link.',
  unreachable:
    'The service cannot be reached. This page retries automatically. Check your network connection.',
  retry: 'Try again',
  endedTitle: 'The session has ended',
  revokedTitle: 'You can no longer watch this phone',
  endedUnknown: 'Ask the sender of the link for a new one.',
  ended: {
    client: 'A client ended the session.',
    expired: 'The session reached its time limit.',
    idle: 'The session was idle for too long.',
    takenBack: 'An operator ended the session, or the link was revoked.',
    deviceLost: 'The phone was lost: it was unplugged, or it stopped responding.',
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
  controlHint: 'Watching only. Taking control interrupts a program that controls the phone.',
  open: (name: string) => `Open ${name}`,
  hide: (name: string) => `Hide ${name} on this page. Its session continues.`,
  size: 'Size of the phones',
  fit: 'Fit to height',
  mirror: 'Mirror input',
  stopMirror: 'Stop mirroring',
  mirroring: (ready: number, shown: number) =>
    ready === shown
      ? `What you do on one phone happens on all ${shown}.`
      : `What you do on one phone happens on ${ready} of ${shown}. The others do not accept input now.`,
  mirrorStopped: 'Mirroring stopped, because the phones have different orientations.',
  noneTitle: 'No phones to show',
  none: 'Connect to a few phones to see them side by side.',
  toDevices: 'View phones',
} as const;

export const endedTexts = {
  title: 'Session ended',
  lasted: (length: string) => `Duration: ${length}.`,
  charged: (value: number, reserved: number) => {
    if (value === 0) return 'Nothing was charged.';
    const returned = reserved - value;
    return returned > 0
      ? `${minutes(value)} charged, ${minutes(returned)} refunded.`
      : `${minutes(value)} charged.`;
  },
  detail: 'Details:',
  again: 'Connect again',
  toDevices: 'Back to phones',
  toSessions: 'All sessions',
  reasons: {
    client: 'You or another client of your account ended the session.',
    expired:
      'The session reached its time limit. Connect again for a longer time, or extend the next session ' +
      'before it ends.',
    idle: 'The session was idle for too long. Connect again to continue.',
    start_failed: 'The phone could not be started. Try again, or choose another phone.',
    start_timeout: 'The phone did not start in time. Try again, or choose another phone.',
    device_lost: 'The phone was lost: it was unplugged, or it stopped responding. Choose another phone.',
    host_lost: 'The host of the phone stopped responding. Choose another phone.',
    admin: 'An operator ended the session, or its API key was revoked. Choose another phone.',
  } satisfies Record<EndReason, string>,
  unknown: 'The session has ended. Connect again to continue.',
} as const;
