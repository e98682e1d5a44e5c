import type { Static, TSchema } from 'typebox';
import { eventOperations } from '../events/event-operations.ts';
import { webhookOperations } from '../events/webhook-operations.ts';
import { accountOperations } from './account.ts';
import { appOperations } from './app.ts';
import { artifactOperations } from './artifact.ts';
import { auditOperations } from './audit.ts';
import { conditionOperations } from './conditions.ts';
import { deviceOperations } from './device.ts';
import { fleetDeviceOperations } from './fleet-device.ts';
import { fleetSessionOperations } from './fleet-session.ts';
import { groupOperations } from './group.ts';
import { hostOperations } from './host.ts';
import { keyOperations } from './key.ts';
import { phoneFileOperations } from './phone-file.ts';
import { queueOperations } from './queue.ts';
import { durationSchema, sessionOperations } from './session.ts';
import { usageOperations } from './usage.ts';
import { userOperations } from './user.ts';
import { utilisationOperations } from './utilisation.ts';
import { watchLinkOperations } from './watch-link.ts';

/** Returns the operations, with the limits of this deployment in their schemas. */
export function operations(limits: { maxDurationMinutes: number }) {
  const duration = durationSchema(limits.maxDurationMinutes);
  return {
    ...deviceOperations(duration),
    ...sessionOperations(duration),
    ...phoneFileOperations,
    ...artifactOperations,
    ...watchLinkOperations,
    ...conditionOperations,
    ...appOperations,
    ...usageOperations,
    ...eventOperations,
    ...queueOperations(duration),
    ...keyOperations,
    ...accountOperations,
    ...userOperations,
    ...fleetDeviceOperations,
    ...hostOperations,
    ...fleetSessionOperations,
    ...utilisationOperations,
    ...auditOperations,
    ...groupOperations,
    ...webhookOperations,
  };
}

export type Operations = ReturnType<typeof operations>;
export type OperationId = keyof Operations;

type AnswerOf<Answer> = Answer extends TSchema ? Static<Answer> : Uint8Array;

type OperationTypesById = {
  [Id in OperationId]: {
    params: Static<Operations[Id]['params']>;
    query: Static<Operations[Id]['query']>;
    body: Static<Operations[Id]['body']>;
    answer: AnswerOf<Operations[Id]['answer']>;
  };
};

/**
 * The types of each operation's parts, inferred from its schemas. It is an interface so that the compiler resolves
 * them once.
 */
export interface OperationTypes extends OperationTypesById {}
