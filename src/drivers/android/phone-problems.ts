import type { DeviceState } from './adb/adb-device.ts';

/** Why a phone cannot be borrowed, and what to do about it, as text for the operator; null when adb can use it. */
export function problemOf(state: DeviceState): string | null {
  switch (state) {
    case 'device':
      return null;
    case 'unauthorized':
      return 'unauthorized: unlock the phone and press Allow on "Allow USB debugging?"; if it does not ask, revoke USB debugging authorizations in its developer options and plug it in again. From Android 11 on a phone forgets a computer after seven days without it: turn on "Disable adb authorization timeout" there';
    case 'offline':
      return 'offline: adb gets no answer from it; plug it in again, or restart it';
    case 'no-permissions':
      return 'no permissions: this host may not open the USB device; add a udev rule for it (Debian: install android-sdk-platform-tools-common, and be in the group plugdev), then plug it in again';
    case 'server-away':
      return 'the adb server is away; Phonebooth looks for it again and again';
    case 'gone':
      return 'unplugged: adb does not list it any more; plug it in again (a phone whose network connection broke is connected to again every minute)';
    case 'other':
      return 'not running Android now (recovery, sideload or bootloader): restart it';
  }
}

/** The problem shown for a phone that is restarting between two sessions. */
export const RESTARTING = 'restarting after a session';

/**
 * The problem shown when several phones have the same serial number: it is unknown which of them a session or a
 * journal belongs to.
 */
export const SHARED_SERIAL_NUMBER =
  'another phone on this host has the same serial number, so that they cannot be told apart: unplug one of them, or connect it to another host';
