import type { BusRequests, PhoneStatus } from '../../bus/messages.ts';
import { DEVICE_KINDS, PLATFORMS } from '../../contract/http/device.ts';
import { FILES_CAPABILITY } from '../../contract/http/phone-file.ts';
import { PHONE_METHODS } from '../../contract/sockets/control-methods.ts';
import type { PhoneReport } from '../../store/hosts/host-store.ts';
import { oneLine } from '../../util/one-line.ts';

type Report = BusRequests['control-plane.report']['request'];
/** A report whose values are in the contract. */
export type SanitisedReport = Omit<Report, 'phones'> & { phones: PhoneReport[] };

/**
 * The same pattern as for addresses in bus.ts, because an identifier becomes part of paths, subjects and log lines.
 */
const DEVICE_ID = /^[\w.:-]{1,128}$/;
const CAPABILITIES: readonly string[] = [...PHONE_METHODS, FILES_CAPABILITY];
const MAX_NAME = 100;
/**
 * Maximum length of a problem that a host reports, and of the texts that clients read as `end_detail` and
 * `app_error`.
 */
const MAX_TEXT_LENGTH = 500;

/**
 * A host is another machine, and its reports appear in terminals, pages and logs. Every text is sanitised on receipt:
 * one line, without control and bidirectional formatting characters, of limited length.
 */
export function sanitiseReport(report: Report): { report: SanitisedReport; invalidIds: number } {
  const phones = report.phones.filter(({ description }) => DEVICE_ID.test(description.id));
  return {
    report: {
      ...report,
      hostName: oneLine(report.hostName, MAX_NAME),
      phones: phones.map(sanitisePhone),
    },
    invalidIds: report.phones.length - phones.length,
  };
}

function sanitisePhone(phone: PhoneStatus): PhoneReport {
  const { description, lease } = phone;
  const { id, screen_size, resolution, battery_percent } = description;
  const platform = PLATFORMS.find((one) => one === description.platform);
  const kind = DEVICE_KINDS.find((one) => one === description.kind);
  const text = (name: 'name' | 'brand' | 'model' | 'os_version') => oneLine(description[name], MAX_NAME);
  return {
    ...phone,
    description: {
      id,
      screen_size,
      resolution,
      name: text('name') || id,
      brand: text('brand'),
      model: text('model'),
      os_version: text('os_version'),
      ...(platform && { platform }),
      ...(kind && { kind }),
      ...(battery_percent !== undefined && { battery_percent }),
    },
    capabilities: phone.capabilities?.filter((name) => CAPABILITIES.includes(name)),
    problem: sanitiseText(phone.problem),
    lease: lease && { ...lease, app: lease.app && { ...lease.app, error: sanitiseText(lease.app.error) } },
  };
}

/** Sanitises one text of a host, such as an error message. */
export function sanitiseText(text: string): string;
export function sanitiseText(text: string | null): string | null;
export function sanitiseText(text: string | null): string | null {
  return text === null ? null : oneLine(text, MAX_TEXT_LENGTH);
}
