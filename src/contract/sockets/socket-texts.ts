import type { ControlMethod, ControlNotifications } from './control-methods.ts';
import type { RpcErrorName } from './rpc-errors.ts';

/**
 * One-sentence descriptions of the methods of the control socket. They are separate from the schemas because only the
 * documentation needs them.
 */
export const METHOD_SUMMARIES: Record<ControlMethod, string> = {
  tap: 'Tap the screen',
  long_press: 'Press a place of the screen and hold it',
  swipe: 'Draw a line with one finger',
  touch: 'Put one finger down, move it or lift it; fingers are told apart by `pointer`',
  scroll: 'Turn a wheel at a place of the screen',
  key: 'Press a key, hold it down or let it go',
  text: 'Type a text, any Unicode',
  rotate: 'Turn the screen; without `orientation` to the other one',
  power: 'Switch the screen on or off',
  'clipboard.get': 'Read the clipboard',
  'clipboard.set': 'Write the clipboard, and paste it if asked to',
  'app.install': 'Install an uploaded app; the answer comes when it is there, and `app.progress` on the way',
  'app.uninstall': 'Remove an app',
  'app.launch': 'Start an app, or one of its activities',
  'app.stop': 'Stop an app',
  'app.list': 'List the apps on the phone',
  open_url: 'Open an address in the app that is there for it',
  screenshot: 'Take a picture of the screen',
  'ui.tree': 'Say what is on the screen, with bounds as fractions of it',
  'log.start': 'Begin to send the phone’s log, line by line, as `log.line`',
  'log.stop': 'Send no more of the log',
  'location.set': 'Have the phone believe that it is elsewhere',
  shell: 'Run a command on the phone, where the operator allows it',
  'session.extend': 'Add minutes to the session',
  'session.ping': 'Answered at once by the service itself',
};

/** Descriptions of the notifications. */
export const NOTIFICATION_SUMMARIES: Record<keyof ControlNotifications, string> = {
  'session.ready': 'The phone takes commands from now on',
  'session.expiring': 'The session ends soon: told 5 minutes, 1 minute and 10 seconds before',
  'session.extended': 'The session’s end was moved',
  'session.ended': 'The session is over; the socket is closed after it',
  'device.rotated': 'The picture has another size now',
  'clipboard.changed': 'Something was copied on the phone',
  'app.progress': 'How far the install of an app is',
  'log.line': 'A line of the phone’s log',
};

/** When each JSON-RPC error occurs. */
export const RPC_ERROR_MEANINGS: Record<RpcErrorName, string> = {
  parse: 'the message is not JSON',
  invalidRequest: 'it is no JSON-RPC 2.0 call, or a batch of none or of more than 20',
  methodNotFound: 'there is no such method',
  invalidParams: 'a parameter is wrong; `data.errors` names it as the HTTP API does',
  internal: 'the service failed, or cannot reach its own parts',
  unsupported: 'this phone cannot do that',
  failedOnPhone: 'the command failed or timed out; the message says why, such as what the phone answered',
  notConnected: 'the phone takes no commands yet, or from another client now',
  tooFast: 'too much at once; slow down',
};
