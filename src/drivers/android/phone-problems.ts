import type { DeviceState } from './adb/adb-device.ts';

/** Why a phone cannot be borrowed, and what to do about it, as text for the operator; null when adb can use it. */
export function problemOf(state: DeviceState): string | null {
  switch (state) {
    case 'device':
      return null;
    case 'unauthorized':
      return (
        'unauthorized: unlock the phone and press Allow on "Allow USB debugging?". If it does not ask, ' +
        'revoke USB debugging authorizations in its developer options and reconnect it. Android 11 and newer ' +
        'revoke the authorization of a computer after seven days without a connection: turn on "Disable adb ' +
        'authorization timeout" there'
      );
    case 'offline':
      return 'offline: the phone does not answer adb; reconnect it, or restart it';
    case 'no-permissions':
      return (
        'no permissions: this host is not allowed to open the USB device; add a udev rule for it (Debian: ' +
        'install android-sdk-platform-tools-common, and join the group plugdev), then reconnect the phone'
      );
    case 'server-away':
      return 'the adb server is unavailable; Phonebooth retries';
    case 'gone':
      return (
        'unplugged: adb no longer lists the phone; reconnect it (a phone on the network is reconnected every ' +
        'minute)'
      );
    case 'other':
      return 'not running Android (recovery, sideload or bootloader mode): restart the phone';
  }
}

/** The problem shown for a phone that is restarting between two sessions. */
export const RESTARTING = 'restarting after a session';

/**
 * The problem shown when several phones have the same serial number: it is unknown which of them a session or a
 * journal belongs to.
 */
export const SHARED_SERIAL_NUMBER =
  'another phone on this host has the same serial number, so the two cannot be distinguished: ' +
  'disconnect one of them, or connect it to another host';
