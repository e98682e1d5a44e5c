import type { AuditTarget } from '../store/admin-store.ts';
import type { Store } from '../store/store.ts';

/** Enters into the audit trail what the command line did; whoever may use it needs no key, and comes from no address. */
export function noteCommand(
  store: Pick<Store, 'addAudit'>,
  command: string,
  targets: AuditTarget[],
): Promise<void> {
  const nobody = { accountId: null, keyId: null, address: null };
  return store.addAudit([{ ...nobody, action: `cli.${command}`, code: 0, targets, agoMs: 0 }]);
}
