import type { AuditEvent } from '../store/admin-store.ts';

/** The audit event of a command of the command line, which needs no key and comes from no address. */
export const commandEvent = (command: string): AuditEvent => ({
  accountId: null,
  keyId: null,
  action: `cli.${command}`,
  address: null,
  targets: [],
});
