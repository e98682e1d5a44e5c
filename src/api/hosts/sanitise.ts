import type { BusRequests, PhoneStatus } from '../../bus/messages.ts';
import { oneLine } from '../../util/one-line.ts';

type Report = BusRequests['control-plane.report']['request'];

/** As bus.ts has an address: an identifier is part of paths, subjects and log lines. */
const DEVICE_ID = /^[\w.:-]{1,128}$/;
const MAX_NAME = 100;
/** What a host says about a problem; also what clients read as `end_detail` and `app_error`. */
const MAX_WORDS = 500;

/**
 * A host is another machine, and what it reports is shown on terminals, pages and in logs. Every text is made safe here, where it
 * comes in: one line, without control and bidirectional formatting characters, of bounded length.
 */
export function sanitiseReport(report: Report): { report: Report; invalidIds: number } {
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

function sanitisePhone(phone: PhoneStatus): PhoneStatus {
  const { description, lease } = phone;
  const { id, screen_size, resolution } = description;
  const text = (name: 'name' | 'brand' | 'model' | 'os_version') => oneLine(description[name], MAX_NAME);
  return {
    ...phone,
    description: {
      ...{ id, screen_size, resolution },
      name: text('name') || id,
      brand: text('brand'),
      model: text('model'),
      os_version: text('os_version'),
    },
    problem: words(phone.problem),
    lease: lease && { ...lease, app: lease.app && { ...lease.app, error: words(lease.app.error) } },
  };
}

export const words = (text: string | null): string | null =>
  text === null ? null : oneLine(text, MAX_WORDS);
