import type { AuditEvent } from '../store/audit/audit-store.ts';

/** Returns the audit event of a command on the command line, which has no key and no client address. */
export const commandEvent = (command: string): AuditEvent => ({
  accountId: null,
  keyId: null,
  action: `cli.${command}`,
  address: null,
  targets: [],
});
