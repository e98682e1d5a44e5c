import type { ControlMethod, ControlNotifications } from './control-methods.ts';
import type { RpcErrorName } from './rpc-errors.ts';

/**
 * One-sentence descriptions of the methods of the control socket. They are separate from the schemas because only the
 * documentation needs them.
 */
export const METHOD_SUMMARIES: Record<ControlMethod, string> = {
  tap: 'Tap the screen',
  long_press: 'Press and hold a point of the screen',
  swipe: 'Swipe with one finger',
  touch: 'Put down, move or lift one finger; `pointer` identifies the finger',
  scroll: 'Scroll with a mouse wheel at a point of the screen',
  key: 'Press and release a key, or only press or only release it',
  text: 'Type any Unicode text',
  rotate: 'Rotate the screen; without `orientation`, to the other orientation',
  power: 'Turn the screen on or off',
  'clipboard.get': 'Read the clipboard',
  'clipboard.set': 'Write the clipboard, and optionally paste it',
  'app.install':
    'Install an uploaded app; the response is sent when it is installed, and `app.progress` reports the ' +
    'progress',
  'app.uninstall': 'Uninstall an app',
  'app.launch': 'Launch an app, or one of its activities',
  'app.stop': 'Stop an app',
  'app.list': 'List the installed apps',
  open_url: 'Open a URL in the app that handles it',
  screenshot: 'Take a screenshot',
  'ui.tree': 'Return the UI elements on the screen, with bounds as fractions of the screen',
  'log.start': 'Start to send the phone’s log as `log.line` notifications',
  'log.stop': 'Stop sending the phone’s log',
  'location.set': 'Set a mock location',
  shell: 'Run a shell command on the phone, if the operator allows it',
  'session.extend': 'Extend the session',
  'session.ping': 'Ping the service, which responds immediately without the phone',
};

/** Descriptions of the notifications. */
export const NOTIFICATION_SUMMARIES: Record<keyof ControlNotifications, string> = {
  'session.ready': 'The phone accepts commands',
  'session.expiring': 'The session is about to end; sent 5 minutes, 1 minute and 10 seconds before the end',
  'session.extended': 'The session was extended',
  'session.ended': 'The session has ended; the socket is closed afterwards',
  'device.rotated': 'The size of the picture changed',
  'clipboard.changed': 'Text was copied on the phone',
  'app.progress': 'Progress of an app installation',
  'log.line': 'One line of the phone’s log',
};

/** When each JSON-RPC error occurs. */
export const RPC_ERROR_MEANINGS: Record<RpcErrorName, string> = {
  parse: 'the message is not JSON',
  invalidRequest:
    'the message is not a valid JSON-RPC 2.0 call, or the batch is empty or has more than 20 calls',
  methodNotFound: 'the method does not exist',
  invalidParams: 'a parameter is invalid; `data.errors` names it, as in the HTTP API',
  internal: 'the service failed, or cannot reach one of its components',
  unsupported: 'this phone does not support the method',
  failedOnPhone: 'the command failed on the phone or timed out; the message says why',
  notConnected: 'the phone does not accept commands yet, or another client has control',
  tooFast: 'too many messages or pending calls; slow down',
};
