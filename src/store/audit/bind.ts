import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import { addAudit, boundAudit, countAudit, listAudit, listAuditBefore, sweepAudit } from './audit.ts';
import type { AuditStore } from './audit-store.ts';
import { nameTargets } from './target-names.ts';

export const auditStore = (engine: Engine): AuditStore =>
  bind(engine, { addAudit, countAudit, listAudit, listAuditBefore, nameTargets, sweepAudit, boundAudit });
